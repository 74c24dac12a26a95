// @ts-check
/** Serves so many at a time, each for a while; the others wait in line. */
export class Line {
  /** @type {(() => void)[]} */
  #waiting = [];
  #serving = 0;

  /**
   * @param {number} width how many at a time
   * @param {number} ms how long each takes
   * @param {() => void} served
   */
  enter(width, ms, served) {
    const begin = () => {
      this.#serving++;
      setTimeout(() => {
        this.#serving--;
        served();
        this.#waiting.shift()?.();
      }, ms);
    };
    if (this.#serving < width) begin();
    else this.#waiting.push(begin);
  }
}
