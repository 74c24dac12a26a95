// @ts-check
/**
 * So many jobs at a time, each for a while; the others wait in the order in which they came. When one ends is decided
 * when it comes, so that late timers cost no capacity.
 */
export class Workers {
  /** When each will have done what it has been given. @type {number[]} */
  #freeAt;

  /** @param {number} count */
  constructor(count) {
    this.#freeAt = Array.from({ length: count }, () => 0);
  }

  /**
   * @param {number} ms
   * @param {() => void} done
   */
  work(ms, done) {
    const now = performance.now();
    const first = this.#freeAt.indexOf(Math.min(...this.#freeAt));
    const doneAt = Math.max(now, this.#freeAt[first] ?? 0) + ms;
    this.#freeAt[first] = doneAt;
    setTimeout(done, doneAt - now);
  }
}
