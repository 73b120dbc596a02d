/**
 * `npm run fuzz`: hostile traces, one after the other, to see what breaks.
 *
 *     npm run fuzz -- --seed 7 --lines 1000000      as many cases as have a million lines
 *     npm run fuzz -- --seed 7 --case 1234          that one again
 *     npm run fuzz -- --out DIR --limit-s 30        where finds go, and how long a case may take
 *
 * What failed or hung is written to DIR as it was, and as small as it could be made. Cases are made of the fixtures: a
 * fixture more, and a number means another case.
 */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeCase } from './cases.js';
import { Corpus } from './corpus.js';
import { type Ending, superviseWorker } from './supervise.js';
import { Tally } from './tally.js';
import type { WorkerReport } from './worker.js';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    lines: { type: 'string', default: '1000000' },
    case: { type: 'string' },
    out: { type: 'string' },
    'limit-s': { type: 'string', default: '30' },
  },
});
const LONGEST_REASON = 2000;
const seed = Number(values.seed);
const isOne = values.case !== undefined;
const lines = isOne ? 1 : Number(values.lines);
const limitMs = Number(values['limit-s']) * 1000;
const out = values.out ?? mkdtempSync(join(tmpdir(), 'ptflame-fuzz-'));
const fixtures = new URL('../../fixtures/', import.meta.url); // from dist/fuzz
const corpus = new Corpus(fixtures);
const tally = new Tally();

mkdirSync(out, { recursive: true });
await runAll(Number(values.case ?? 0));
say(`seed ${seed}: ${tally.summary()}`);
process.exitCode = tally.failures + tally.hangs > 0 ? 1 : 0;

/** A worker that hangs or dies is followed by another, which begins behind that case. */
async function runAll(firstCase: number): Promise<void> {
  for (let next = firstCase; tally.lines < lines; ) {
    const task = { fixtures: fixtures.href, seed, firstCase: next, lines: lines - tally.lines };
    const ending = await superviseWorker(task, limitMs, hear);
    if (ending === null) return;
    hearEnding(ending);
    if (isOne) return;
    next = ending.number + 1;
  }
}

function hear(report: WorkerReport): void {
  tally.add(report);
  if (report.what === 'heap' && report.isCollected)
    say(`seed ${seed}, ${tally.lines} lines: ${tally.failures} failures`);
  if (report.what === 'failed') tell(report.number, report.why);
  if (report.what === 'smallest') save(report.number, 'smallest.txt', Buffer.from(report.base64, 'base64'));
}

function hearEnding({ number, why }: Ending): void {
  tally.addHang();
  tell(number, why);
}

function tell(number: number, why: string): void {
  const { bytes, story } = makeCase(seed, number, corpus);
  say(`seed ${seed}, case ${number} (${story.join(', ')}): ${why.slice(0, LONGEST_REASON)}`);
  save(number, 'txt', bytes);
}

function save(number: number, ending: string, bytes: Buffer): void {
  const path = join(out, `seed-${seed}-case-${number}.${ending}`);
  writeFileSync(path, bytes);
  say(`  ${path}`);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
