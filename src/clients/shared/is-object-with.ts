/** Whether a value is an object that has all these members: clients are recognised by what they can do, not by class. */
export function isObjectWith(value: unknown, members: readonly string[]): value is object {
  return typeof value === 'object' && value !== null && members.every((member) => member in value);
}
