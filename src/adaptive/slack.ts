import { clamp } from './controller-range.js';

/**
 * By which share of a knee the limit lies above it: c / sqrt(knee), with c = clamp(0.13 / refused, 1, 4) 0.6. That is the
 * square-root rule of staffing (Halfin and Whitt 1981): enough that chance leaves no gap, and more while little is refused,
 * where a longer line catches bursts. A small knee needs more, or chance leaves servers idle: what keeps a single server
 * (M/M/1/k) busy for 95 % of the time (97.5 % if it is alone and little is refused), and the less of it, the more servers.
 *
 * Where `atOnce` arrivals come together their number varies that many times more, and its root the slack.
 *
 * @param refused share of what was offered
 */
export function slackAt(knee: number, refused: number, atOnce = 1): number {
  const more = clamp(0.13 / Math.max(refused, 1e-6), 1, 4);
  const servers = Math.max(1, knee);
  const idle = IDLE * clamp(Math.max(servers / 2, 1.5 * refused), 0.5, 1);
  const one = Math.max(
    (more * 0.6) / Math.sqrt(servers),
    lineForOne(refused, idle) / (servers * (1 + (servers - 1) / FEW)),
  );
  return one * Math.sqrt(atOnce);
}

/** Permits beyond the first that leave a single server `idle` for such a share of the time, at this load. */
function lineForOne(refused: number, idle: number): number {
  const load = clamp(1 / (1 - refused), 1.05, 20);
  return Math.min(LONGEST_LINE, Math.log(1 + (load - 1) / idle) / Math.log(load) - 1);
}

/** Share of the time. */
const IDLE = 0.05;
const LONGEST_LINE = 12;
/** Servers beyond the first, at which half the line of a single one will do. */
const FEW = 4;
