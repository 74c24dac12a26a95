import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { figureRows } from './figure-rows.js';
import { capitalised, count, duration, percent, perSecond } from './format.js';
import type { GameDayResult } from './game-day-result.js';
import { capacityTimes } from './measure-capacity.js';
import { pageData } from './page-data.js';
import type { RunFigures } from './run-figures.js';
import { summary } from './summary.js';
import { workload } from './workload.js';

/** One page that needs nothing else: no network, no server, no other file. */
export async function reportPage(result: GameDayResult): Promise<string> {
  const runs = result.results.map((each) => each.figures);
  const [style, plotStyle, plotScript, script] = await Promise.all(
    assets().map((path) => readFile(path, 'utf8')),
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>floodgate: a game day</title>
<style>${plotStyle}</style>
<style>${style}</style>
</head>
<body>
<main style="--runs: ${runs.length}">
<p class="eyebrow">floodgate: a game day</p>
<h1>${result.times} times what the database can do</h1>
<ul class="lead">${summary(runs)
    .map((sentence) => `<li>${escaped(sentence).replace(/^[^:]+:/, '<b>$&</b>')}</li>`)
    .join('')}</ul>
<div class="runs">${runs.map(runCard).join('')}</div>
<h2>In figures</h2>
${table(runs)}
${footer(result, runs)}
</main>
<script type="application/json" id="data">${JSON.stringify(pageData(result)).replaceAll('<', '\\u003c')}</script>
<script>${plotScript}</script>
<script type="module">${script}</script>
</body>
</html>
`;
}

function runCard(run: RunFigures, index: number): string {
  const verdict = run.goodputOfCapacity > 0.8 ? 'good' : run.goodputOfCapacity < 0.5 ? 'bad' : '';
  return `
<section class="run">
<h2>${escaped(capitalised(run.name))}</h2>
<code>${escaped(run.setup)}</code>
<div class="headline"><b class="${verdict}">${percent(run.goodputOfCapacity)}</b>
<span>of what the database can do reached its caller in time</span></div>
${plot('rates', 'Calls', 'per second', index)}
${plot('latency', 'Time to an answer', 'late answers included', index)}
${plot('inFlight', 'In flight', 'queries sent or queued', index)}
</section>`;
}

function plot(name: string, title: string, unit: string, run: number): string {
  const caption = `<figcaption>${title} <small>${unit}</small></figcaption>`;
  return `<figure>${caption}<div data-plot="${name}" data-run="${run}"></div></figure>`;
}

function table(runs: readonly RunFigures[]): string {
  const head = ['', ...runs.map((run) => run.name)].map((cell) => `<th scope="col">${escaped(cell)}</th>`);
  const rows = figureRows(runs).map(
    ({ label, values }) =>
      `<tr><th scope="row">${escaped(label)}</th>${values.map((v) => `<td>${escaped(v)}</td>`).join('')}</tr>`,
  );
  return `<table class="figures"><thead><tr>${head.join('')}</tr></thead><tbody>${rows.join('\n')}</tbody></table>`;
}

function footer({ server, capacity, plan }: GameDayResult, runs: readonly RunFigures[]): string {
  const lag = Math.max(...runs.map((run) => run.lagP99 ?? 0));
  return `<footer>
<p>${escaped(server)}, a pool of ${workload.poolSize} connections, the query <code>${escaped(workload.query.text)}</code>.</p>
<p>Capacity: ${perSecond(capacity)}, measured with ${workload.poolSize} callers that each wait for their answer (the best of ${capacityTimes.seconds} seconds). Load: open loop for
${plan.seconds} s, ${count(plan.perSecond * plan.seconds)} arrivals or so at random times that were the same for every run, whatever
becomes of those before them. A caller goes after ${duration(workload.deadlineMs)}; its query stays.</p>
<p>Times count from the scheduled arrival, so they hold the delay of the load generator, which runs in the same process
(${duration(lag)} at its p99). Percentiles are within 1.1 %. What a machine can do varies by a few percent from one run to the
next, and the shares of the capacity with it.</p>
</footer>`;
}

function assets(): string[] {
  const require = createRequire(import.meta.url);
  // What is no TypeScript stays in the source tree when this is compiled.
  const page = join(dirname(require.resolve('floodgate/package.json')), 'bench', 'demo', 'page');
  const uplot = dirname(require.resolve('uplot'));
  return [
    join(page, 'style.css'),
    join(uplot, 'uPlot.min.css'),
    join(uplot, 'uPlot.iife.min.js'),
    join(page, 'charts.js'),
  ];
}

/** A number and its unit stay on one line. */
function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll(/(?<=\d) (?=%|ms\b|s\b)/g, '&nbsp;');
}
