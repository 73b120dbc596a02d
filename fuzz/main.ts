/**
 * `npm run fuzz`: runs hostile inputs and failing system requests, and reports what breaks.
 *
 *     npm run fuzz -- --seed 7                      all kinds, with their default amounts
 *     npm run fuzz -- --kind text --amount 1000000  one kind: cases with a million lines in total
 *     npm run fuzz -- --kind packs --amount 5000    5000 cases
 *     npm run fuzz -- --kind packs --seed 7 --case 1234   one case again
 *     npm run fuzz -- --kind damaged-kernels --recordings DIR   recordings of the kernel, which are not kept here
 *     npm run fuzz -- --out DIR --limit-s 30        where failing cases are written, and the time limit per case
 *
 * A case that fails or hangs is written to DIR, and text is written minimised, too. Cases of text are made from the
 * fixtures, so a new fixture changes which case a number means. The other kinds have generators of their own.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Failure, toFailure } from './kind.js';
import { KIND_NAMES, type KindName, kindOf, NEEDS_RECORDINGS } from './kinds.js';
import { type Crash, superviseWorker } from './supervise.js';
import { Tally } from './tally.js';
import type { WorkerReport } from './worker.js';

const { values } = parseArgs({
  options: {
    kind: { type: 'string' },
    seed: { type: 'string', default: '1' },
    amount: { type: 'string' },
    case: { type: 'string' },
    out: { type: 'string' },
    recordings: { type: 'string' },
    'limit-s': { type: 'string', default: '30' },
  },
});
/** Lines of text; cases of the other kinds. */
const DEFAULT_AMOUNT: Readonly<Record<KindName, number>> = {
  text: 1_000_000,
  recordings: 20_000,
  'damaged-recordings': 5_000,
  'damaged-kernels': 2_000,
  'trace-files': 5_000,
  packs: 5_000,
  profiles: 5_000,
  packets: 20_000,
  faults: 400,
};
const MAX_REASON_LENGTH = 2000;
const seed = Number(values.seed);
const isSingleCase = values.case !== undefined;
const limitMs = Number(values['limit-s']) * 1000;
const folder = values.recordings ?? null;
const out = values.out ?? mkdtempSync(join(tmpdir(), 'ptflame-fuzz-'));
const directory = mkdtempSync(join(tmpdir(), 'ptflame-fuzz-files-'));

mkdirSync(out, { recursive: true });
try {
  for (const kind of chosenKinds()) await runKind(kind);
} finally {
  rmSync(directory, { recursive: true, force: true });
}

function chosenKinds(): readonly KindName[] {
  const { kind } = values;
  if (kind === undefined) return KIND_NAMES.filter((name) => name !== NEEDS_RECORDINGS || folder !== null);
  if (!(KIND_NAMES as readonly string[]).includes(kind))
    throw new Error(`--kind must be one of ${KIND_NAMES.join(', ')}, not ${kind}`);
  if (kind === NEEDS_RECORDINGS && folder === null) throw new Error(`--kind ${kind} needs --recordings DIR`);
  return [kind as KindName];
}

/** If a worker hangs or dies, another one continues after that case. */
async function runKind(kind: KindName): Promise<void> {
  const amount = isSingleCase ? 1 : Number(values.amount ?? DEFAULT_AMOUNT[kind]);
  const tally = new Tally(kind === 'text' ? 'lines' : null);
  const onReport = reportHandler(kind, tally);
  for (let next = Number(values.case ?? 0); tally.amount < amount; ) {
    const task = { kind, directory, folder, seed, firstCase: next, amount: amount - tally.amount };
    const crash: Crash | null = await superviseWorker(task, limitMs, onReport);
    if (crash === null) break;
    tally.addHang();
    reportFailure(kind, toFailure(await kindOf(kind, seed, directory, folder).make(crash.number), crash.reason));
    if (isSingleCase) break;
    next = crash.number + 1;
  }
  print(`${kind}, seed ${seed}: ${tally.summary()}`);
  if (tally.failures + tally.hangs > 0) process.exitCode = 1;
}

function reportHandler(kind: KindName, tally: Tally): (report: WorkerReport) => void {
  return (report) => {
    tally.add(report);
    if (report.what === 'heap' && report.isCollected)
      print(`${kind}, seed ${seed}, ${tally.amount}: ${tally.failures} failures`);
    if (report.what === 'failed') reportFailure(kind, report);
    if (report.what === 'smallest') save(kind, report.number, 'smallest', Buffer.from(report.base64, 'base64'));
  };
}

function reportFailure(kind: KindName, { number, steps, base64, reason }: Failure): void {
  print(`${kind}, seed ${seed}, case ${number} (${steps.join(', ')}): ${reason.slice(0, MAX_REASON_LENGTH)}`);
  save(kind, number, 'case', Buffer.from(base64, 'base64'));
}

function save(kind: KindName, number: number, ending: string, bytes: Buffer): void {
  const path = join(out, `${kind}-seed-${seed}-case-${number}.${ending}`);
  writeFileSync(path, bytes);
  print(`  ${path}`);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
