import { isBackpressureError } from '../core/find-backpressure-error.js';

/** A check of the user's that runs beside the looks: each look learns what the check begun at the last one has said. */
export class SideCheck {
  readonly #check: () => unknown;
  #running = false;
  #result: { readonly good: boolean | undefined; readonly reason: string } | undefined;

  constructor(check: () => unknown) {
    this.#check = check;
  }

  /** What it said, and begins another. `good` is `undefined` when it has said nothing yet. */
  look(): { readonly good: boolean | undefined; readonly reason: string } {
    if (this.#running) return { good: false, reason: 'the check does not answer' };
    const result = this.#result ?? { good: undefined, reason: '' };
    this.#begin();
    return result;
  }

  #begin(): void {
    this.#running = true;
    const done = (good: boolean | undefined, reason: string) => {
      this.#running = false;
      this.#result = { good, reason };
    };
    (async () => this.#check())().then(
      () => done(true, ''),
      // A rejection of floodgate's own is no word of the server.
      (error) => (isBackpressureError(error) ? done(undefined, '') : done(false, 'the check fails')),
    );
  }
}
