/**
 * `ptflame locks`: shows which locks threads waited for, who held them, and what the holders did meanwhile.
 */

import { locksAnswer } from '../../src/questions/locks/answer.js';
import { askLocks } from '../../src/questions/locks/ask-locks.js';
import type { LockRow, Locks } from '../../src/questions/locks/schema.js';
import { locksLines } from '../answers/locks/locks.js';
import { missingLines } from '../answers/missing-lines.js';
import { openInputs } from '../input/open-inputs.js';
import { requireTraces, withProgress } from '../input/traces.js';
import { LocksOptions } from '../options/questions/locks.js';
import { openAnswer } from '../output/answer.js';
import { answerFormats } from '../output/answer-files.js';
import { qualityLines } from '../output/lines.js';
import { notify } from '../terminal/notify.js';
import { defineCommand } from '../usage/define-command.js';
import { TRACES } from './arguments.js';

export const command = defineCommand({
  details:
    'Shows for each lock how long threads waited, who held it, and what the holders did meanwhile. The input must be recorded with ptflame record --waits.',
  examples: [
    ['ptflame locks perf.data', 'by time waited'],
    ['ptflame locks perf.data --lock 0x55d0c0f0a0e0', 'one lock: all its holders and waiters'],
    ['ptflame locks perf.data --slowest 5', 'the longest waits, and for whom'],
  ],
  arguments: [TRACES],
  schema: LocksOptions,
  formats: answerFormats,
  run: locks,
});

export async function locks(options: LocksOptions, signal: AbortSignal): Promise<void> {
  const inputs = await requireTraces(await openInputs(options.inputs, options, signal));
  const output = await openAnswer(options, options.inputs);
  const flags = { ...options, foldRecursion: false };
  const { slowest, lock, top, quiet } = options;
  const found = await withProgress(inputs, flags, signal, (analyzing) =>
    askLocks(inputs, { slowest, ...(lock !== undefined && { address: lock }) }, { ...analyzing, trees: 'together' }),
  );
  const answer = locksAnswer(found);
  const text = (width: number) => locksLines(answer, { width, top, address: lock ?? null });
  await output.write({ json: () => answer, text, csv: () => csvRows(answer) });
  if (output.formats.includes('csv') && !options.quiet) for (const line of missingLines(answer.missing)) notify(line);
  if (!quiet && found.profile) for (const line of qualityLines(found.profile)) notify(line);
}

const COLUMNS = [
  'pid address kind waits waitedNs probeNs futexNs passedOnNs wakeUpNs unknownNs',
  'avgNs p50Ns p90Ns p99Ns maxNs openWaits openNs longestOpenNs convoy',
].flatMap((names) => names.split(' ')) as (keyof LockRow & string)[];

function csvRows({ locks: rows }: Locks): (string | number | boolean | null)[][] {
  const cells = (row: LockRow) => COLUMNS.map((column) => row[column] as string | number | null);
  const placeOf = ({ places, holders }: LockRow) => [
    places[0]?.function?.name ?? null,
    holders[0]?.threads[0]?.comm ?? null,
    holders[0]?.function?.name ?? null,
  ];
  return [[...COLUMNS, 'function', 'holder', 'holderFunction'], ...rows.map((row) => [...cells(row), ...placeOf(row)])];
}
