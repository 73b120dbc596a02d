/**
 * `npm run fuzz`: hostile inputs and failing machines, one after the other, to see what breaks.
 *
 *     npm run fuzz -- --seed 7                      all kinds, with their usual number of cases
 *     npm run fuzz -- --kind text --amount 1000000  one kind: as many cases as have a million lines
 *     npm run fuzz -- --kind packs --amount 5000    5000 cases
 *     npm run fuzz -- --kind packs --seed 7 --case 1234   that one again
 *     npm run fuzz -- --out DIR --limit-s 30        where finds go, and how long a case may take
 *
 * What failed or hung is written to DIR as it was, and, of texts, as small as it could be made. Cases of texts are made of the fixtures: a
 * fixture more, and a number means another case. The others have generators of their own.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Find, findOf } from './kind.js';
import { KIND_NAMES, type KindName, kindOf } from './kinds.js';
import { type Ending, superviseWorker } from './supervise.js';
import { Tally } from './tally.js';
import type { WorkerReport } from './worker.js';

const { values } = parseArgs({
  options: {
    kind: { type: 'string' },
    seed: { type: 'string', default: '1' },
    amount: { type: 'string' },
    case: { type: 'string' },
    out: { type: 'string' },
    'limit-s': { type: 'string', default: '30' },
  },
});
/** Lines of text, cases of the others. */
const USUAL_AMOUNT: Readonly<Record<KindName, number>> = {
  text: 1_000_000,
  recordings: 20_000,
  'trace-files': 5_000,
  packs: 5_000,
  profiles: 5_000,
  faults: 400,
};
const LONGEST_REASON = 2000;
const seed = Number(values.seed);
const isOne = values.case !== undefined;
const limitMs = Number(values['limit-s']) * 1000;
const out = values.out ?? mkdtempSync(join(tmpdir(), 'ptflame-fuzz-'));
const place = mkdtempSync(join(tmpdir(), 'ptflame-fuzz-place-'));

mkdirSync(out, { recursive: true });
try {
  for (const kind of chosenKinds()) await runKind(kind);
} finally {
  rmSync(place, { recursive: true, force: true });
}

function chosenKinds(): readonly KindName[] {
  const { kind } = values;
  if (kind === undefined) return KIND_NAMES;
  if (!(KIND_NAMES as readonly string[]).includes(kind))
    throw new Error(`--kind is one of ${KIND_NAMES.join(', ')}, not ${kind}`);
  return [kind as KindName];
}

/** A worker that hangs or dies is followed by another, which begins behind that case. */
async function runKind(kind: KindName): Promise<void> {
  const amount = isOne ? 1 : Number(values.amount ?? USUAL_AMOUNT[kind]);
  const tally = new Tally(kind === 'text' ? 'lines' : null);
  const hear = hearing(kind, tally);
  for (let next = Number(values.case ?? 0); tally.amount < amount; ) {
    const task = { kind, place, seed, firstCase: next, amount: amount - tally.amount };
    const ending: Ending | null = await superviseWorker(task, limitMs, hear);
    if (ending === null) break;
    tally.addHang();
    tell(kind, findOf(await kindOf(kind, seed, place).make(ending.number), ending.why));
    if (isOne) break;
    next = ending.number + 1;
  }
  say(`${kind}, seed ${seed}: ${tally.summary()}`);
  if (tally.failures + tally.hangs > 0) process.exitCode = 1;
}

function hearing(kind: KindName, tally: Tally): (report: WorkerReport) => void {
  return (report) => {
    tally.add(report);
    if (report.what === 'heap' && report.isCollected)
      say(`${kind}, seed ${seed}, ${tally.amount}: ${tally.failures} failures`);
    if (report.what === 'failed') tell(kind, report);
    if (report.what === 'smallest') save(kind, report.number, 'smallest', Buffer.from(report.base64, 'base64'));
  };
}

function tell(kind: KindName, { number, story, base64, why }: Find): void {
  say(`${kind}, seed ${seed}, case ${number} (${story.join(', ')}): ${why.slice(0, LONGEST_REASON)}`);
  save(kind, number, 'case', Buffer.from(base64, 'base64'));
}

function save(kind: KindName, number: number, ending: string, bytes: Buffer): void {
  const path = join(out, `${kind}-seed-${seed}-case-${number}.${ending}`);
  writeFileSync(path, bytes);
  say(`  ${path}`);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
