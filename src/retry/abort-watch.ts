/** Who waits for a signal. It has one listener however many there are: Node warns of a leak at the eleventh. */
const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/** Rejects with a signal's reason at once, whatever is being waited for. */
export class AbortWatch {
  readonly #signal: AbortSignal;
  readonly #aborted: Promise<never>;
  #onAbort: () => void = () => {};

  /** @throws the signal's reason if it is aborted already */
  constructor(signal: AbortSignal) {
    signal.throwIfAborted();
    this.#signal = signal;
    this.#aborted = new Promise((_, reject) => {
      this.#onAbort = () => reject(signal.reason);
    });
    // It may abort while nobody waits.
    this.#aborted.catch(() => {});
    add(signal, this.#onAbort);
  }

  /** What is awaited, or the rejection. */
  race<T>(awaited: Promise<T>): Promise<T> {
    return Promise.race([this.#aborted, awaited]);
  }

  stop(): void {
    remove(this.#signal, this.#onAbort);
  }
}

function add(signal: AbortSignal, onAbort: () => void): void {
  const others = waiting.get(signal);
  if (others !== undefined) {
    others.add(onAbort);
    return;
  }
  waiting.set(signal, new Set([onAbort]));
  signal.addEventListener('abort', tellAll);
}

function remove(signal: AbortSignal, onAbort: () => void): void {
  const others = waiting.get(signal);
  others?.delete(onAbort);
  if (others?.size !== 0) return;
  waiting.delete(signal);
  signal.removeEventListener('abort', tellAll);
}

function tellAll(this: AbortSignal): void {
  for (const onAbort of waiting.get(this) ?? []) onAbort();
}
