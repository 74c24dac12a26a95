// @ts-check
import { Workers } from './workers.js';

/**
 * What is to happen to commands instead of, or before, their answer. Of several rules the first that fits is taken.
 *
 * @typedef {object} Fault
 * @property {CommandKind} [on] only to commands of this kind; to all if absent. `element` is one of a batch.
 * @property {number} [delayMs] answer later
 * @property {number} [workers] so many at a time are worked on, each for `delayMs`; the others wait for their turn
 * @property {number} [betweenMs] time between the pieces of a scan
 * @property {number} [result] answer with this code, and do nothing
 * @property {boolean} [hang] never answer
 * @property {boolean} [drop] close the connection without an answer
 * @property {number} [times] only so often; for ever if absent
 *
 * @typedef {Fault & { pool?: Workers | undefined }} Rule
 *
 * @typedef {'read' | 'write' | 'operate' | 'batch' | 'element' | 'query' | 'background'} CommandKind
 */

export class Faults {
  /** @type {Rule[]} */
  #rules = [];

  /** @param {Fault[]} rules in place of those before; what waits for a worker of those is still worked on by them */
  set(rules) {
    this.#rules = rules.map((rule) => {
      const { workers } = rule;
      return { ...rule, pool: workers === undefined ? undefined : new Workers(workers) };
    });
  }

  /**
   * @param {CommandKind} kind
   * @returns {Rule | undefined}
   */
  take(kind) {
    if (this.#rules.length === 0) return undefined;
    const rule = this.#rules.find(
      ({ on }) => (on ?? 'any') === kind || (on === undefined && kind !== 'element'),
    );
    if (rule === undefined) return undefined;
    if (rule.times !== undefined && --rule.times <= 0) this.#rules.splice(this.#rules.indexOf(rule), 1);
    return rule;
  }
}
