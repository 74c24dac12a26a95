import { SingleBar } from 'cli-progress';

export interface Progress {
  /**
   * @param parts what is worth a look now, the most important first: a narrow terminal shows as many as
   * fit. Asked for only when something is shown.
   */
  update(elapsedMs: number, parts: () => readonly string[]): void;
  stop(): void;
}

/** One line that lives while a step lasts; where nobody watches (a pipe, a log), a line every few seconds. */
export function startProgress(title: string, totalMs: number): Progress {
  return process.stdout.isTTY ? liveLine(title, totalMs) : plainLines(title, totalMs);
}

function liveLine(title: string, totalMs: number): Progress {
  const columns = process.stdout.columns || 80;
  const wide = columns >= 100;
  const barsize = wide ? 12 : 0;
  const bar = new SingleBar({
    stream: process.stdout,
    format: `  ${title.padEnd(TITLE_WIDTH)} ${wide ? '{bar} ' : ''}{text}`,
    barsize,
    barCompleteChar: '█',
    barIncompleteChar: '░',
  });
  const room = columns - TITLE_WIDTH - (wide ? barsize + 5 : 4);
  bar.start(totalMs, 0, { text: '' });
  // Also when the process ends on the spot: the terminal's settings are put back.
  const stop = () => bar.stop();
  process.once('exit', stop);
  let nextAt = 0;
  return {
    update(elapsedMs, parts) {
      if (elapsedMs < nextAt) return;
      nextAt = elapsedMs + LIVE_EVERY_MS;
      const clock = wide ? clockOf(elapsedMs, totalMs) : secondsOf(elapsedMs, totalMs);
      const text = fitting([clock, ...parts()], room);
      bar.update(Math.min(elapsedMs, totalMs), { text: text.padEnd(room) });
    },
    stop() {
      process.removeListener('exit', stop);
      stop();
    },
  };
}

function plainLines(title: string, totalMs: number): Progress {
  let nextAt = PLAIN_EVERY_MS;
  return {
    update(elapsedMs, parts) {
      if (elapsedMs < nextAt) return;
      nextAt += PLAIN_EVERY_MS;
      const text = [clockOf(elapsedMs, totalMs), ...parts()].join('  ');
      console.log(`  ${title.padEnd(TITLE_WIDTH)} ${text}`);
    },
    stop() {},
  };
}

function clockOf(elapsedMs: number, totalMs: number): string {
  return `${secondsOf(elapsedMs, totalMs).slice(0, -2)}/${(totalMs / 1000).toFixed(0)} s`;
}

function secondsOf(elapsedMs: number, totalMs: number): string {
  return `${(Math.min(elapsedMs, totalMs) / 1000).toFixed(0).padStart(2)} s`;
}

function fitting(parts: readonly string[], room: number): string {
  let text = '';
  for (const part of parts) {
    const longer = text === '' ? part : `${text}  ${part}`;
    if (longer.length > room) break;
    text = longer;
  }
  return text;
}

const TITLE_WIDTH = 14;
const LIVE_EVERY_MS = 200;
const PLAIN_EVERY_MS = 3000;
