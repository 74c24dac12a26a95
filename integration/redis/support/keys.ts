/** Keys that each hold their own name, so that an answer that belongs to another call shows. */
export const KEYS: readonly string[] = Array.from({ length: 300 }, (_, index) => `key-${index}`);

interface Writer {
  set(key: string, value: string): Promise<unknown>;
}

export async function writeKeys(client: Writer): Promise<void> {
  // A few at a time: the client may be limited.
  for (let from = 0; from < KEYS.length; from += 50) {
    await Promise.all(KEYS.slice(from, from + 50).map((key) => client.set(key, key)));
  }
}

export function anyKey(): string {
  return KEYS[Math.floor(Math.random() * KEYS.length)]!;
}
