import type { Gate } from './gate.js';
import type { OperationClass } from './operation-class.js';
import type { Outcome } from './outcome.js';
import type { Cohort } from './permit-ages.js';

/** {@link Gate.settle} of a checkout, which lasts as long as its holder likes: no latency, but what is in flight changes. */
export function settleCheckout(
  gate: Gate,
  operationClass: OperationClass,
  weight: number,
  cohort: Cohort,
  outcome: Outcome,
): void {
  gate.settle(operationClass, weight, cohort, Number.NaN, outcome);
  gate.sampler?.onCheckoutEnd();
}
