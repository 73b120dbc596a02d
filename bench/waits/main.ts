/**
 * `npm run bench:waits`: makes the trace of a server whose threads wait for each other, and measures what questions
 * about waits cost beside `ptflame report` of the same trace, and requests beside `ptflame latency`. See
 * docs/performance.md.
 */
import { writeFileSync } from 'node:fs';
import { cachedFile } from '../cached-file.js';
import { measure } from '../measure.js';
import { machineFacts, table, whereText } from '../report.js';
import { type Measured, measureRounds } from '../rounds.js';
import { LATENCY, REPORT, REQUESTS, REQUESTS_BY_KEY, WAITS, waitsCandidates } from './candidates.js';
import { generateWaits, WAITS_GENERATOR_VERSION } from './generator/generate.js';
import { readOptions } from './options.js';

const { directory, recipe, runs, jsonPath, date } = readOptions(process.argv.slice(2));
process.stderr.write('the trace\n');
const maker = { version: WAITS_GENERATOR_VERSION, make: generateWaits };
const trace = cachedFile(directory, `waits-${recipe.waits}-${recipe.threads}`, recipe, maker);
await measure(['wc', '-l', trace.path]); // loads the file into the page cache
process.stderr.write(`${runs} rounds\n`);
const measured = await measureRounds(waitsCandidates(trace), runs);
const machine = machineFacts(date);
if (jsonPath !== null) writeFileSync(jsonPath, `${JSON.stringify({ machine, runs, trace, measured }, null, 2)}\n`);
process.stdout.write(`${whereText(machine)} Medians of ${runs} runs.\n\n${traceTable()}\n\n${costTable()}\n`);

function traceTable(): string {
  const { bytes, lines, waits, requests } = trace;
  const row = [
    (bytes / 1e6).toFixed(0),
    ...[lines, waits, recipe.threads, requests].map((n) => n.toLocaleString('en')),
  ];
  return table(['MB', 'lines', 'waits', 'threads', 'requests'], [row]);
}

function costTable(): string {
  const [yardstick] = measured;
  const named = (wanted: string) => measured.find(({ name }) => name === wanted) as Measured;
  const [report, latency] = [named(REPORT), named(LATENCY)];
  const rows = measured.map((own) => {
    const { name, wallSeconds, cpuSeconds, peakBytes } = own;
    return [
      `\`${name}\``,
      ...[wallSeconds.toFixed(2), cpuSeconds.toFixed(2), (peakBytes / 1e6).toFixed(0)],
      (wallSeconds / yardstick.wallSeconds).toFixed(1),
      ...(name === WAITS ? besides(own, report) : ['', '', '']),
      ...(name === REQUESTS || name === REQUESTS_BY_KEY ? ratios(own, latency) : ['', '']),
    ];
  });
  const beside = ['beside report: wall s', 'CPU s', 'MB'];
  return table(['command', 'wall s', 'CPU s', 'peak MB', '× grep', ...beside, '× latency: wall', 'CPU'], rows);
}

function ratios(own: Measured, latency: Measured): string[] {
  const each = [own.wallSeconds / latency.wallSeconds, own.cpuSeconds / latency.cpuSeconds];
  return each.map((ratio) => ratio.toFixed(2));
}

function besides(own: Measured, report: Measured): string[] {
  const mega = (own.peakBytes - report.peakBytes) / 1e6;
  const seconds = [own.wallSeconds - report.wallSeconds, own.cpuSeconds - report.cpuSeconds];
  return [...seconds.map((each) => each.toFixed(2)), mega.toFixed(0)];
}
