/** A Prometheus of the test's own; queries are answered by its HTTP API. */
export interface PrometheusServer extends AsyncDisposable {
  readonly url: string;
  /** As the server says it. */
  readonly version: string;
  /** The values of an instant query, as Prometheus gives them: each with its labels, the value a number. */
  query(expression: string): Promise<readonly Sample[]>;
  /** Alerts that are pending or firing. */
  alerts(): Promise<readonly Alert[]>;
  /** Takes the server down for good and deletes all it has left. */
  close(): Promise<void>;
}

export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Alert {
  readonly state: 'pending' | 'firing';
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}
