import type { Gate } from './gate.js';
import type { OperationClass } from './operation-class.js';
import { isOutcome, notAnOutcome, type Outcome } from './outcome.js';
import type { Cohort } from './permit-ages.js';
import { settleCheckout } from './settle-checkout.js';

/** Room for one operation. It comes back exactly once, by {@link release} or at the end of a `using` block. */
export interface Permit {
  /**
   * Gives the permit back. A second call changes nothing and is counted in `stats().doubleReleases`.
   *
   * @param outcome how the operation ended. @default 'success'
   * @throws TypeError for anything that is no outcome; the permit has come back all the same.
   */
  release(outcome?: Outcome): void;
  /** `release('success')`, unless the permit has been released already: then it does nothing at all. */
  [Symbol.dispose](): void;
}

/** The one implementation: tells its gate once, whatever happens. */
export class GatePermit implements Permit {
  #gate: Gate | undefined;
  readonly #owner: Gate;
  readonly #operationClass: OperationClass;
  readonly #weight: number;
  readonly #cohort: Cohort;
  readonly #startedAt: number;
  readonly #isCheckout: boolean;

  /**
   * @param startedAt when the operation began; `NaN` keeps its duration out of the latency figures
   * @param isCheckout nothing times its end otherwise
   */
  constructor(
    gate: Gate,
    operationClass: OperationClass,
    weight: number,
    cohort: Cohort,
    startedAt: number,
    isCheckout = false,
  ) {
    this.#gate = gate;
    this.#owner = gate;
    this.#operationClass = operationClass;
    this.#weight = weight;
    this.#cohort = cohort;
    this.#startedAt = startedAt;
    this.#isCheckout = isCheckout;
  }

  release(outcome: Outcome = 'success'): void {
    const gate = this.#gate;
    if (gate === undefined) {
      this.#owner.doubleReleases++;
      return;
    }
    this.#gate = undefined;
    const valid = isOutcome(outcome);
    const taken = valid ? outcome : 'ignored';
    if (this.#isCheckout) settleCheckout(gate, this.#operationClass, this.#weight, this.#cohort, taken);
    else gate.settle(this.#operationClass, this.#weight, this.#cohort, this.#startedAt, taken);
    if (!valid) throw notAnOutcome(outcome);
  }

  [Symbol.dispose](): void {
    if (this.#gate !== undefined) this.release('success');
  }
}
