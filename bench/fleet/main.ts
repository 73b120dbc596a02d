/**
 * `npm run bench:fleet`: makes a folder of many recordings, and measures what questions about all of them cost beside
 * reading one column of their call paths. See docs/fleet.md.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Candidate, PROGRAM } from '../candidates.js';
import { machineFacts, table, whereText } from '../report.js';
import { measureRounds } from '../rounds.js';
import { fleetFolder } from './folder.js';

const { values } = parseArgs({
  options: {
    dir: { type: 'string', default: join(tmpdir(), 'ptflame-bench') },
    recordings: { type: 'string', default: '64' },
    paths: { type: 'string', default: '130000' },
    functions: { type: 'string', default: '3000' },
    runs: { type: 'string', default: '3' },
    date: { type: 'string', default: new Date().toISOString().slice(0, 10) },
  },
});
const [recordings = 0, paths = 0, functions = 0] = [values.recordings, values.paths, values.functions].map(Number);
process.stderr.write('the recordings\n');
const { path, slower } = fleetFolder(values.dir, { recordings, paths, functions });
const outputs = mkdtempSync(join(tmpdir(), 'bench-fleet-'));
process.stderr.write(`${values.runs} rounds\n`);
const measured = await measureRounds(candidates(), Number(values.runs));
rmSync(outputs, { recursive: true });
const [yardstick] = measured;
const rows = measured.map(({ name, wallSeconds, cpuSeconds, peakBytes }) => [
  `\`${name}\``,
  ...[wallSeconds.toFixed(2), cpuSeconds.toFixed(2), (peakBytes / 1e6).toFixed(0)],
  (wallSeconds / (yardstick?.wallSeconds ?? 0)).toFixed(1),
]);
const where = `${whereText(machineFacts(values.date))} ${recordings} recordings of ${paths} paths. Medians of ${values.runs} runs.`;
process.stdout.write(`${where}\n\n${table(['command', 'wall s', 'CPU s', 'peak MB', '× counting'], rows)}\n`);

function candidates(): Candidate[] {
  const asking = (name: string, ...words: string[]) => ({
    name,
    command: [process.execPath, PROGRAM, ...words, '--quiet'],
    check: async () => {},
  });
  const growth = asking('ptflame fleet --by build', 'fleet', path, '--by', 'build', '--json');
  return [
    asking('ptflame fleet --sql (count)', 'fleet', path, '--sql', 'SELECT count(path) FROM paths'),
    asking('ptflame fleet', 'fleet', path),
    { ...growth, check: async (stdout) => expectFirst(stdout) },
    asking('ptflame fleet --outliers', 'fleet', path, '--outliers'),
    asking('ptflame merge', 'merge', path, '-o', join(outputs, 'fleet.svg')),
    asking('ptflame merge -j 1', 'merge', path, '-j', '1', '-o', join(outputs, 'fleet.svg')),
  ];
}

/** @throws Error unless the function that was made slower comes first */
function expectFirst(stdout: string): void {
  const { growth } = JSON.parse(stdout) as { growth: { rows: readonly { name: string }[] } };
  const first = growth.rows[0]?.name;
  if (first !== slower) throw new Error(`${slower} is slower, not ${first}`);
}
