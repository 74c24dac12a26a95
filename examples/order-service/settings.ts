/** What the environment says; times are milliseconds. */
export interface Settings {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly port: number;
  readonly metricsPort: number;
  /** How long load balancers take to see that the instance is not ready: the period of their probe, and some. */
  readonly noticeMs: number;
  /** From SIGTERM to the end. Docker and Kubernetes kill after their grace period, 30 s here. */
  readonly deadlineMs: number;
}

export function readSettings(env: NodeJS.ProcessEnv): Settings {
  return {
    databaseUrl: required(env, 'DATABASE_URL', 'postgres://user:password@host:5432/database'),
    redisUrl: required(env, 'REDIS_URL', 'redis://host:6379'),
    port: Number(env.PORT ?? 3000),
    metricsPort: Number(env.METRICS_PORT ?? 9464),
    noticeMs: Number(env.NOTICE_MS ?? 5_000),
    deadlineMs: Number(env.DEADLINE_MS ?? 25_000),
  };
}

function required(env: NodeJS.ProcessEnv, name: string, form: string): string {
  const value = env[name];
  if (!value) throw new Error(`${name} must be set: ${form}`);
  return value;
}
