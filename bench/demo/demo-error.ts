/** A failure that is the surroundings' and not the demo's: its message is all there is to say, without a stack. */
export class DemoError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = 1, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DemoError';
    this.exitCode = exitCode;
  }
}
