/**
 * A wrapper returns the client itself, so the methods of a subclass would be lost in silence.
 *
 * @param target `new.target`
 * @param wrapper the class that was written to be constructed
 * @param client whose class may be extended
 * @throws TypeError for a subclass
 */
export function refuseSubclass(target: { readonly name: string }, wrapper: object, client: string): void {
  if (target === wrapper) return;
  const { name } = wrapper as { readonly name: string };
  throw new TypeError(
    `floodgate: ${name} can't be subclassed, since it returns the client itself: subclass ${client}, and pass that class to ${name}`,
  );
}
