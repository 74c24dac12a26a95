// Runs in the reader's browser: draws the plots of the page from the data it carries. Every row of plots has one scale for
// all runs, so that what looks alike is alike; drawn anew when the colours change with the system's.
const { runs, capacity, deadlineMs, loadSeconds } = JSON.parse(document.getElementById('data').textContent);

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
const grouped = (value) => (value == null ? '–' : Math.round(value).toLocaleString('en-US'));
const time = (ms) =>
  ms == null ? '–' : ms < 1000 ? `${+ms.toPrecision(2)} ms` : `${+(ms / 1000).toPrecision(2)} s`;
const highest = (...names) => Math.max(...runs.flatMap((run) => names.flatMap((name) => run[name])));
const lastSecond = Math.max(loadSeconds, ...runs.map((run) => run.seconds.at(-1)));

const plots = {
  rates: {
    lines: [
      { key: 'inTime', label: 'in time', colour: 'good', fill: true },
      { key: 'late', label: 'too late', colour: 'late', fill: true },
      { key: 'rejected', label: 'rejected', colour: 'rejected' },
      { key: 'offered', label: 'offered', colour: 'offered' },
    ],
    format: grouped,
    scale: { range: [0, highest('offered') * 1.12] },
    mark: { at: capacity, label: 'capacity' },
  },
  latency: {
    lines: [
      { key: 'p50', label: 'p50', colour: 'p50' },
      { key: 'p99', label: 'p99', colour: 'p99' },
    ],
    format: time,
    scale: decades('p50', 'p99'),
    mark: { at: deadlineMs, label: 'the caller goes' },
  },
  inFlight: {
    lines: [
      { key: 'inFlight', label: 'in flight', colour: 'in-flight', fill: true },
      { key: 'limit', label: 'limit', colour: 'limit', dash: [5, 4] },
    ],
    format: grouped,
    scale: decades('inFlight', 'limit'),
  },
};

/** A logarithmic scale over whole powers of ten. */
function decades(...names) {
  const values = runs.flatMap((run) => names.flatMap((name) => run[name])).filter((value) => value > 0);
  const low = Math.floor(Math.log10(Math.min(...values)) + 0.001);
  const high = Math.ceil(Math.log10(Math.max(...values)));
  return { distr: 3, range: [10 ** low, 10 ** Math.max(high, low + 1)] };
}

function powersOfTen(low, high) {
  const count = Math.round(Math.log10(high / low)) + 1;
  return Array.from({ length: count }, (_, exponent) => low * 10 ** exponent);
}

function draw(holder) {
  const run = runs[holder.dataset.run];
  const { format, scale, mark, ...plot } = plots[holder.dataset.plot];
  const lines = plot.lines.filter(({ key }) => run[key].some((value) => value != null));
  const axis = { stroke: colour('muted'), font: '12px system-ui, sans-serif', ticks: { show: false } };
  const chart = new uPlot(
    {
      width: holder.clientWidth,
      height: 190,
      cursor: { sync: { key: 'page' }, y: false, drag: { x: false, y: false } },
      legend: { live: true, markers: { width: 0, fill: (u, index) => u.series[index].stroke() } },
      scales: { x: { time: false, range: [0, lastSecond] }, y: scale },
      axes: [
        {
          ...axis,
          size: 28,
          gap: 6,
          grid: { show: false },
          values: (_, ticks) => ticks.map((tick) => `${tick} s`),
        },
        {
          ...axis,
          size: 58,
          gap: 8,
          grid: { stroke: colour('rule'), width: 1 },
          ...(scale.distr === 3 ? { splits: (_, __, low, high) => powersOfTen(low, high) } : {}),
          // uPlot leaves out labels that have no room.
          values: (_, ticks) => ticks.map((tick) => (tick == null ? '' : format(tick))),
        },
      ],
      series: [
        {},
        ...lines.map((line) => ({
          label: line.label,
          stroke: () => colour(line.colour),
          width: 2,
          dash: line.dash,
          ...(line.fill ? { fill: `${colour(line.colour)}30` } : {}),
          points: { show: false },
          // The value under the pointer; none without one.
          value: (_, value, __, index) => (index == null ? '' : format(value)),
        })),
      ],
      hooks: { drawAxes: [(u) => shadeAfterTheLoad(u)], draw: [(u) => mark && markLine(u, mark)] },
    },
    [run.seconds, ...lines.map((line) => run[line.key])],
    holder,
  );
  return chart;
}

function shadeAfterTheLoad(u) {
  const { ctx, bbox } = u;
  const from = u.valToPos(loadSeconds, 'x', true);
  ctx.save();
  ctx.fillStyle = `${colour('muted')}1c`;
  ctx.fillRect(from, bbox.top, bbox.left + bbox.width - from, bbox.height);
  ctx.fillStyle = colour('muted');
  ctx.font = `${12 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.textAlign = 'left';
  const label = 'load over';
  const room = bbox.left + bbox.width - from - 12 * devicePixelRatio;
  if (ctx.measureText(label).width < room) {
    ctx.textBaseline = 'top';
    ctx.fillText(label, from + 6 * devicePixelRatio, bbox.top + 6 * devicePixelRatio);
  }
  ctx.restore();
}

function markLine(u, { at, label }) {
  const { ctx, bbox } = u;
  const y = u.valToPos(at, 'y', true);
  if (y < bbox.top || y > bbox.top + bbox.height) return;
  ctx.save();
  ctx.strokeStyle = colour('text');
  ctx.fillStyle = colour('text');
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
  ctx.beginPath();
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.font = `${12 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.textAlign = 'right';
  ctx.textBaseline = 'bottom';
  ctx.fillText(label, bbox.left + bbox.width - 6 * devicePixelRatio, y - 3 * devicePixelRatio);
  ctx.restore();
}

const holders = [...document.querySelectorAll('[data-plot]')];
let charts = [];

function drawAll() {
  for (const chart of charts) chart.destroy();
  charts = holders.map(draw);
}

drawAll();
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAll);
addEventListener('resize', () => {
  for (const [index, chart] of charts.entries())
    chart.setSize({ width: holders[index].clientWidth, height: 190 });
});
