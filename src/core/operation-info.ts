import { checkOptions, integerFrom, nonEmptyString } from './option-checks.js';

/** What a caller may say about an operation. Everything is optional. */
export interface OperationInfo {
  /** A short name for errors and metrics, `'query'` for example. Never SQL text, keys or values. */
  readonly operation?: string | undefined;
  /** The class it belongs to: statistics are kept and bulkheads apply per class. @default 'default' */
  readonly operationClass?: string | undefined;
  /**
   * How many permits it takes: an integer from 1. More than the whole limit (or than its bulkhead) is clamped to that,
   * so that a heavy operation can still run, alone. @default 1
   */
  readonly weight?: number | undefined;
}

const CHECKS = {
  operation: nonEmptyString,
  operationClass: nonEmptyString,
  weight: integerFrom(1),
} satisfies Record<keyof OperationInfo, unknown>;

/** @throws TypeError for a field of another name */
export function checkOperation(op: OperationInfo): void {
  checkOptions('operation', op, CHECKS);
}
