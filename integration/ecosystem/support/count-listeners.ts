/** How many listeners each event has, in an order that does not depend on who came first. */
export function countListeners(emitter: NodeJS.EventEmitter): string {
  return emitter
    .eventNames()
    .map((name) => `${String(name)} ${emitter.listenerCount(name)}`)
    .sort()
    .join(', ');
}
