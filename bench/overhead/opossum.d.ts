/** What the bench uses of opossum; its types are in a package of their own, which nothing else needs. */
declare module 'opossum' {
  export default class CircuitBreaker<T> {
    constructor(
      action: (fn: () => Promise<T>) => Promise<T>,
      options: { capacity?: number; timeout?: number | false; volumeThreshold?: number },
    );
    fire(fn: () => Promise<T>): Promise<T>;
    readonly opened: boolean;
    shutdown(): void;
  }
}
