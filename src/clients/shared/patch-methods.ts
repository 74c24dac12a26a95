/**
 * Replaces methods of one instance; the prototype is never touched. Own, but not enumerable, with the names and lengths
 * of what they replace, so that code which looks at the object sees no difference.
 */
export function patchMethods(
  target: object,
  methods: Readonly<Record<string, (this: never, ...args: never[]) => unknown>>,
): void {
  for (const [key, method] of Object.entries(methods)) {
    const original = (target as Record<string, unknown>)[key];
    if (typeof original === 'function') {
      Object.defineProperty(method, 'name', { value: original.name, configurable: true });
      Object.defineProperty(method, 'length', { value: original.length, configurable: true });
    }
    defineHidden(target, key, method);
  }
}

/**
 * Stands for what is behind a patch: `methodsBehind(target).query.call(target, ...)` is the method that the instance had of
 * its own when it was patched, or else the one that its prototype has *now*. Tracers replace methods on the prototype,
 * and may do so after the instance was patched.
 */
export function methodsBehind<T extends object>(target: T, keys: readonly (keyof T & string)[]): T {
  const behind = Object.create(Object.getPrototypeOf(target)) as T;
  for (const key of keys) if (Object.hasOwn(target, key)) defineHidden(behind, key, target[key]);
  return behind;
}

/** An own property that does not show up in loops, spreads and logs. */
export function defineHidden(target: object, key: PropertyKey, value: unknown): void {
  Object.defineProperty(target, key, { value, writable: true, configurable: true, enumerable: false });
}
