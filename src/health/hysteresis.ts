/** Changes its mind only after so many looks in a row that say the opposite; a single one changes nothing. */
export class Hysteresis {
  readonly #failureThreshold: number;
  readonly #successThreshold: number;
  #streak = 0;
  down = false;

  constructor(failureThreshold: number, successThreshold: number) {
    this.#failureThreshold = failureThreshold;
    this.#successThreshold = successThreshold;
  }

  /**
   * @param good `undefined`: says nothing, the row goes on
   * @returns whether it has changed its mind
   */
  look(good: boolean | undefined): boolean {
    if (good === undefined) return false;
    if (good !== this.down) {
      this.#streak = 0;
      return false;
    }
    this.#streak++;
    if (this.#streak < (this.down ? this.#successThreshold : this.#failureThreshold)) return false;
    this.#streak = 0;
    this.down = !this.down;
    return true;
  }
}
