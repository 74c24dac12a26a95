/** What was in flight over a stretch of time, weighted by time: counted anew from each reading of the clock. */
export class InFlightTime {
  /** Most at once. */
  max = 0;
  #inFlight = 0;
  #limit = 0;
  #sum = 0;
  #full = 0;
  #at = 0;

  begin(now: number, inFlight: number, limit: number): void {
    this.#at = now;
    this.#limit = limit;
    this.#inFlight = this.max = inFlight;
    this.#sum = this.#full = 0;
  }

  /** How long ago the last reading was; negative where the clock has jumped back. */
  since(now: number): number {
    return now - this.#at;
  }

  /** @param inFlight from `now` on */
  read(now: number, inFlight: number): void {
    const elapsed = now - this.#at;
    if (elapsed > 0) {
      this.#sum += this.#inFlight * elapsed;
      if (this.#inFlight >= this.#limit) this.#full += elapsed;
      this.#at = now;
    }
    this.#inFlight = inFlight;
    if (inFlight > this.max) this.max = inFlight;
  }

  mean(elapsed: number): number {
    return this.#sum / elapsed;
  }

  /** Share of the time in which no permit was free, 0 to 1. */
  fullShare(elapsed: number): number {
    return this.#full / elapsed;
  }
}
