/** How far a limit goes towards a target, and whether the way is a long one. */
export interface Step {
  readonly limit: number;
  /** The target is plainly elsewhere. */
  readonly farAway: boolean;
}

/**
 * All the way where the target is off by more than chance, a third of it otherwise: noise is averaged out that way.
 *
 * @param noise relative standard error of the target
 * @param refused share of what was offered: while hardly anything is, the response is as restless as the load
 * @param sustained the last windows have all said so
 */
export function stepTowards(
  target: number,
  from: number,
  { noise, refused, sustained }: { noise: number; refused: number; sustained: boolean },
): Step {
  const change = Math.log(target / from);
  const plain = Math.abs(change) > 3 * noise;
  const calm = refused < 0.08 && Math.abs(change) < 1;
  const gain = !calm && (plain || sustained) ? 1 : 0.3;
  return { limit: from * Math.exp(gain * change), farAway: plain && Math.abs(change) > 0.2 };
}
