export { type RetryAttempt, retry } from './retry.js';
export { RetryBudget, type RetryBudgetOptions, type RetryBudgetStats } from './retry-budget.js';
export type { RetryClock } from './retry-clock.js';
export type { RetryEvent, RetryOptions } from './retry-options.js';
