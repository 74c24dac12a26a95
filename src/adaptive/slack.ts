import { clamp } from './controller-range.js';

/**
 * By which share of a knee the limit lies above it: c / sqrt(knee), with c = clamp(0.13 / refused, 1, 4) 0.6. That is the
 * square-root rule of staffing (Halfin and Whitt 1981): enough that chance leaves no gap, and more while little is refused,
 * where a longer line catches bursts. A small knee needs more, or chance leaves servers idle: what keeps a single server
 * (M/M/1/k) busy for 95 % of the time, and the less of it, the more servers there are.
 *
 * Where `atOnce` arrivals come together their number varies that many times more, and its root the slack.
 *
 * @param refused share of what was offered
 */
export function slackAt(knee: number, refused: number, atOnce = 1): number {
  const more = clamp(0.13 / Math.max(refused, 1e-6), 1, 4);
  const servers = Math.max(1, knee);
  const one = Math.max(
    (more * 0.6) / Math.sqrt(servers),
    lineForOne(refused) / (servers * (1 + (servers - 1) / FEW)),
  );
  return one * Math.sqrt(atOnce);
}

/** Permits beyond the first that leave a single server idle for 5 % of the time, at this load. */
function lineForOne(refused: number): number {
  const load = clamp(1 / (1 - refused), 1.05, 20);
  return Math.min(LONGEST_LINE, Math.log(1 + (load - 1) / IDLE) / Math.log(load) - 1);
}

/** Share of the time. */
const IDLE = 0.05;
const LONGEST_LINE = 8;
/** Servers beyond the first, at which half the line of a single one will do. */
const FEW = 4;
