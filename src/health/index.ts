export { Health } from './health.js';
export type { HealthHandler, HealthRequest, HealthResponse } from './health-handler.js';
export type { CommonFailure, HealthDependency, HealthOptions } from './health-options.js';
export type { DependencyReport, HealthAnswer, HealthReport } from './health-report.js';
