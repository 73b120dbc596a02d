/**
 * What was lost as terminal text: a line for each cause, with what helps against it.
 */
import type { LossKind, Quality } from '../../src/index.js';
import { formatDuration, formatMany, gapCount } from '../../src/text.js';

const MOST_KINDS = 10;
const LONGEST_MESSAGE = 80;
const LONGEST_FILE = 160;

/** Most time lost first; the text of other people in it is not escaped. */
export function lossTexts({ losses }: Quality): string[] {
  const lines = losses
    .slice(0, MOST_KINDS)
    .map((kind) => `${amountText([kind])}: ${causeText(kind)}${remedyText(kind)}`);
  const others = losses.slice(MOST_KINDS);
  if (others.length > 0) lines.push(`${amountText(others)}: other causes`);
  return lines;
}

/** "5 gaps, 1.2 ms lost". */
function amountText(kinds: readonly LossKind[]): string {
  const lostNs = kinds.reduce((sum, kind) => sum + kind.lostNs, 0);
  return `${formatMany(gapCount(kinds), 'gap')}, ${formatDuration(lostNs)} lost`;
}

function causeText({ cause, code, message, file }: LossKind): string {
  const number = cause !== 'decode-error' ? '' : code === null ? ' (code above 99)' : ` (code ${code})`;
  return `${message.slice(0, LONGEST_MESSAGE)}${number}${file === null ? '' : ` in ${endOf(file)}`}`;
}

/** The end of a path tells more than its beginning. */
function endOf(file: string): string {
  return file.length <= LONGEST_FILE ? file : `…${file.slice(1 - LONGEST_FILE)}`;
}

const REMEDIES: Readonly<Record<number, string>> = {
  1: 'fewer decoders at a time',
  2: 'another version of perf may read it',
  3: 'the recording is damaged: record again',
  7: 'record less per processor: no cyc, a filter, or a larger cyc_thresh',
  8: 'a larger buffer: -m ,64M, fewer processors, or a shorter recording',
  10: 'perf config intel-pt.max-loops=… sets how long perf tries',
};

function remedyText({ cause, code, file }: LossKind): string {
  if (cause === 'undecoded' && file === null) return '; keep all files that ran, or use --symfs';
  const remedy = cause === 'undecoded' || code === 5 || code === 6 ? remedyForCode(file) : REMEDIES[code ?? 0];
  return remedy === undefined ? '' : `; ${remedy}`;
}

/** perf's names for memory that no file is behind, and for the kernel's. */
const IS_MADE_AT_RUN_TIME = /^(?:\/\/anon|\/anon_hugepage|\/dev\/zero|\/memfd:|\[heap|\[stack)/;
const IS_KERNEL = /^\[(?:guest\.)?kernel/;

/** perf did not find the code that ran, or found other code. */
function remedyForCode(file: string | null): string {
  if (file === null) return 'perf script --show-mmap-events tells the file';
  if (IS_MADE_AT_RUN_TIME.test(file)) return 'that code was made while it ran: perf inject --jit may know it';
  if (IS_KERNEL.test(file)) return 'perf record --kcore keeps the code of the kernel';
  return 'that file is not the one that ran, or is missing; keep it, or use --symfs';
}
