/**
 * `node dist/fuzz/pt/main.js --recordings 50 --cases 2000 --seed 1`: random code and packets, judged by stock perf.
 */
import { mkdirSync } from 'node:fs';
import { Random } from '../random.js';
import { type Case, randomCase, randomSettings } from './cases.js';
import { describe } from './describe.js';
import { type JudgeOptions, judge } from './judge.js';
import { minimise } from './minimise.js';
import { CODE_BASE, randomProgram } from './program.js';

const value = (name: string, otherwise: number) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? otherwise : Number(process.argv[at + 1]);
};
const FOLDER = process.env['PT_FOLDER'] ?? '/tmp/ptflame-judge';
mkdirSync(FOLDER, { recursive: true });

const seed = value('seed', 1);
const only = value('only', -1);
const count = value('cases', 2000);
let different = 0;
let all = 0;
let allEvents = 0;
let allCrashes = 0;
for (let number = value('from', 0); number < value('from', 0) + value('recordings', 10); number++) {
  const random = new Random(seed, number);
  const program = randomProgram(random, 20 + random.below(200));
  const settings = randomSettings(random);
  const allBranches = process.env['PT_BRANCHES'] === undefined ? random.oneIn(2) : process.env['PT_BRANCHES'] === 'all';
  const cases = Array.from({ length: count }, (_, row) =>
    randomCase(new Random(seed * 1000 + number, row), row, program, settings),
  );
  const kept = only < 0 ? cases : cases.slice(only, only + 1);
  const options = { folder: FOLDER, settings, code: program.bytes, codeStart: CODE_BASE, cases: kept, allBranches };
  const { differences, events, crashes } = judge(options);
  const rows = new Set(differences.map(({ row }) => row));
  different += rows.size;
  all += kept.length;
  allEvents += events;
  allCrashes += crashes;
  if (process.argv.includes('--quiet') ? false : rows.size > 0)
    for (const row of [...rows].slice(0, value('show', 1))) show(options, number, row);
  const which = rows.size === 0 ? 'none' : [...rows].join(', ');
  console.log(`recording ${number}: of ${kept.length} differ: ${which}; ${events} events; ${JSON.stringify(settings)}`);
}
console.log(`${different} of ${all} cases differ, ${allEvents} events, perf crashed on ${allCrashes}`);

function show(options: JudgeOptions, number: number, row: number): void {
  const { tick, pieces } = minimise(options, options.cases[row] as Case);
  const { differences } = judge({ ...options, cases: [{ tick, pieces }] });
  console.log(`--- recording ${number} case ${only < 0 ? row : only}`);
  console.log(describe(pieces.map((packets) => packets.flat())).join('\n'));
  for (const { what, own, perf } of differences) {
    let first = 0;
    while (first < own.length && own[first] === perf[first]) first++;
    console.log(`${what} differ at ${first}`);
    for (let at = Math.max(0, first - 3); at < first + value('lines', 4) && (at < own.length || at < perf.length); at++)
      console.log(`  own  ${own[at] ?? '-'}\n  perf ${perf[at] ?? '-'}`);
  }
}
