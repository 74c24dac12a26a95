// @ts-check
/**
 * What is to happen to commands instead of, or before, their answer. Of several rules the first that fits is taken.
 *
 * @typedef {object} Fault
 * @property {CommandKind} [on] only to commands of this kind; to all if absent. `element` is one of a batch.
 * @property {number} [delayMs] answer later
 * @property {number} [atOnce] with `delayMs`: only so many commands at a time, the others wait in line
 * @property {number} [betweenMs] time between the pieces of a scan
 * @property {number} [result] answer with this code, and do nothing
 * @property {boolean} [hang] never answer
 * @property {boolean} [drop] close the connection without an answer
 * @property {number} [times] only so often; for ever if absent
 *
 * @typedef {'read' | 'write' | 'operate' | 'batch' | 'element' | 'query' | 'background'} CommandKind
 */

export class Faults {
  /** @type {Fault[]} */
  #rules = [];

  /** @param {Fault[]} rules in place of those before */
  set(rules) {
    this.#rules = rules.map((rule) => ({ ...rule }));
  }

  /**
   * @param {CommandKind} kind
   * @returns {Fault | undefined}
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
