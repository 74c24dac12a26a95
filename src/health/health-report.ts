/** How one dependency is seen from here. */
export interface DependencyReport {
  /** `draining`: its limiter admits nothing more, for good. */
  readonly status: 'up' | 'down' | 'draining';
  readonly required: boolean;
  /** Why it is down, in words. */
  readonly reason?: string;
}

export interface HealthReport {
  /** `degraded`: ready for work, though a dependency is down. */
  readonly status: 'ready' | 'degraded' | 'not-ready';
  /** Why it is not `ready`, in words. */
  readonly reason?: string;
  readonly dependencies: Readonly<Record<string, DependencyReport>>;
}

/** An HTTP answer, for any framework. */
export interface HealthAnswer {
  readonly status: 200 | 503;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
}

const HEADERS = Object.freeze({
  'content-type': 'application/json; charset=utf-8',
  // A probe is to see what is, not what was.
  'cache-control': 'no-store',
});

export function answerWith(status: HealthAnswer['status'], body: object): HealthAnswer {
  return { status, headers: HEADERS, body: JSON.stringify(body) };
}
