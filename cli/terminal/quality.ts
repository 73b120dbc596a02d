/**
 * The quality summary as terminal text: one line if all is well, more for what is not.
 */
import type { Profile, Quality } from '../../src/index.js';
import { escapeForTerminal } from './escape.js';
import { formatCount, formatDuration, formatMany, formatShare } from './format.js';
import { gapCount, lossTexts } from './losses.js';

/** Above this share of lost or inferred time a picture is not to be believed without a second look. */
const WARNING_SHARE = 0.05;

/** A garbled trace has any number of unknown words, and lines of any length. */
const MOST_WORDS = 10;
const MOST_CHARACTERS = 80;

export function qualityLines(profile: Profile): string[] {
  const { quality, threads, meta } = profile;
  const span = meta.weight === 'ns' ? `${formatDuration(meta.endNs - meta.startNs)} of ` : '';
  const inferred = Object.values(quality.inferredCalls).reduce((sum, calls) => sum + calls, 0);
  const head = `${formatMany(quality.events, 'event')} in ${span}${formatMany(threads.length, 'thread')}`;
  const guessed = `${formatMany(inferred, 'call')} inferred`;
  const lost = quality.losses.length === 0 ? 'nothing lost' : lostText(quality, threads.length);
  return [`${head}; ${lost}, ${guessed}${undecidedText(quality)}`, ...warnings(quality)];
}

/** Events that did something to the stack which nothing in the trace tells. */
function undecidedText({ undecidedEvents }: Quality): string {
  return undecidedEvents === 0 ? '' : `, ${formatMany(undecidedEvents, 'event')} undecided`;
}

function lostText({ losses, threadsCut, lostNs, totalNs }: Quality, threadCount: number): string {
  const where = `in ${formatCount(threadsCut)} of ${formatMany(threadCount, 'thread')}`;
  const gaps = formatMany(gapCount(losses), 'gap');
  return `${gaps} ${where}, ${formatDuration(lostNs)} lost (${formatShare(lostNs, totalNs)})`;
}

function warnings(quality: Quality): string[] {
  const { lostNs, inferredNs, totalNs, clockSteps, brokenInputs } = quality;
  const lines: string[] = [];
  for (const { input, reason } of brokenInputs)
    lines.push(`warning: ${input} breaks off (${reason}): what came before is used`);
  if (quality.damagedLines > 0) lines.push(...damagedText(quality));
  if (lostNs > WARNING_SHARE * totalNs) lines.push(`warning: ${formatShare(lostNs, totalNs)} of the time is lost`);
  if (inferredNs > WARNING_SHARE * totalNs) lines.push(inferredText(quality));
  lines.push(...lossTexts(quality));
  if (clockSteps > 0)
    lines.push(`note: ${formatMany(clockSteps, 'time')} stepped back and were set to the time before`);
  if (quality.unknownFlagLines > 0) lines.push(unknownFlagsText(quality));
  return lines.map(escapeForTerminal);
}

/** Time after a loss, or below a jump that was not shown: the call path is likely, but no address proves it. */
function inferredText({ inferredNs, totalNs, losses, inferredCalls }: Quality): string {
  const remedy = inferredCalls.HiddenJump > 0 && losses.length === 0 ? '; --itrace=be shows the jumps that hide' : '';
  return `warning: ${formatShare(inferredNs, totalNs)} of the time is on call paths that were reasoned out${remedy}`;
}

function damagedText({ damagedLines, lines, firstDamaged }: Quality): string[] {
  const head = `warning: ${formatCount(damagedLines)} of ${formatMany(lines, 'line')} damaged and left out`;
  const shown = firstDamaged.map(
    ({ input, line, reason, text }) => `  ${input}:${line}: ${reason}: ${text.slice(0, MOST_CHARACTERS)}`,
  );
  return [head, ...shown];
}

function unknownFlagsText({ unknownFlags, unknownFlagLines }: Quality): string {
  const some = unknownFlags.slice(0, MOST_WORDS).join(', ') + (unknownFlags.length > MOST_WORDS ? ' and more' : '');
  return `note: unknown flags on ${formatMany(unknownFlagLines, 'line')}, taken as jumps: ${some}`;
}
