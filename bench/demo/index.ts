import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { DemoError } from './demo-error.js';
import { parseDemoOptions, usage } from './demo-options.js';
import { gameDay } from './game-day.js';
import { reportPage } from './report-page.js';
import { resultTable } from './result-table.js';
import { StopRequest } from './stop-request.js';
import { summary } from './summary.js';
import { wrappedText } from './wrapped-text.js';

const stop = new StopRequest();
try {
  await demo(process.argv.slice(2));
} catch (error) {
  // What is torn down under way complains; nobody asked.
  if (stop.exitCode === undefined) report(error);
}
if (stop.exitCode !== undefined) {
  console.log('\nStopped. Nothing is left running.');
  process.exit(stop.exitCode);
}

async function demo(args: readonly string[]): Promise<void> {
  const options = parseDemoOptions(args);
  if (options.help) {
    console.log(usage);
    return;
  }
  const result = await gameDay(options, stop.signal);
  if (result === undefined) return;
  const figures = result.results.map((each) => each.figures);
  console.log(`\n${resultTable(figures)}\n`);
  for (const sentence of summary(figures)) console.log(wrappedText(sentence, 100));
  const path = resolve('demo-report.html');
  const page = await reportPage(result);
  await writeFile(path, page).catch((error: Error) => {
    throw new DemoError(`The page with the plots can't be written: ${error.message}`, 1, { cause: error });
  });
  console.log(`\nThe plots: ${path}`);
}

function report(error: unknown): void {
  if (error instanceof DemoError) {
    console.error(error.message);
    process.exitCode = error.exitCode;
  } else {
    console.error(error);
    process.exitCode = 1;
  }
}
