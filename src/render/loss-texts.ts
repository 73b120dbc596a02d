/**
 * Describes losses in words: one line per cause, with its remedy.
 */
import type { TraceMeta } from '../model/profile/profile.js';
import type { LossKind, Quality } from '../model/profile/quality.js';
import { remedyOf } from '../model/profile/remedies.js';
import { formatDuration, formatMany } from './format.js';

const MAX_MESSAGE_LENGTH = 80;
const MAX_FILE_LENGTH = 160;

/** Returns one line per cause, the largest loss first; causes after the first `maxCauses` share a line. Input text is not escaped. */
export function lossTexts(
  { losses }: Pick<Quality, 'losses'>,
  meta: Pick<TraceMeta, 'recorded'>,
  maxCauses: number,
): string[] {
  const lines = losses.slice(0, maxCauses).map((kind) => {
    const remedy = remedyOf(kind, losses, meta);
    return `${amountText([kind])}: ${causeText(kind)}${remedy === null ? '' : `; ${remedy}`}`;
  });
  const others = losses.slice(maxCauses);
  if (others.length > 0) lines.push(`${amountText(others)}: other causes`);
  return lines;
}

/** Counts the gaps of all causes. */
export function gapCount(losses: readonly LossKind[]): number {
  return losses.reduce((sum, { gaps }) => sum + gaps, 0);
}

/** Returns "5 gaps, 1.2 ms lost". */
function amountText(kinds: readonly LossKind[]): string {
  const lostNs = kinds.reduce((sum, kind) => sum + kind.lostNs, 0);
  return `${formatMany(gapCount(kinds), 'gap')}, ${formatDuration(lostNs)} lost`;
}

function causeText({ cause, code, message, file }: LossKind): string {
  const number = cause !== 'decode-error' ? '' : code === null ? ' (code above 99)' : ` (code ${code})`;
  return `${message.slice(0, MAX_MESSAGE_LENGTH)}${number}${file === null ? '' : ` in ${truncateStart(file)}`}`;
}

/** Keeps the end of a path, which is more useful than its start. */
function truncateStart(file: string): string {
  return file.length <= MAX_FILE_LENGTH ? file : `…${file.slice(1 - MAX_FILE_LENGTH)}`;
}
