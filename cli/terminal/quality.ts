/**
 * The quality summary as terminal text: one line if all is well, more for what is not.
 */
import type { Profile, Quality } from '../../src/index.js';
import { escapeForTerminal } from './escape.js';
import { formatCount, formatDuration, formatMany, formatShare } from './format.js';

/** Above this share of lost or inferred time a picture is not to be believed without a second look. */
const WARNING_SHARE = 0.05;

/** A garbled trace has any number of kinds of damage, and words of any length. */
const MOST_KINDS = 10;
const MOST_CHARACTERS = 80;

export function qualityLines(profile: Profile): string[] {
  const { quality, threads, meta } = profile;
  const span = meta.weight === 'ns' ? `${formatDuration(meta.endNs - meta.startNs)} of ` : '';
  const inferred = Object.values(quality.inferredCalls).reduce((sum, calls) => sum + calls, 0);
  const head = `${formatMany(quality.events, 'event')} in ${span}${formatMany(threads.length, 'thread')}`;
  const guessed = `${formatMany(inferred, 'call')} inferred`;
  const lost = quality.gaps.length === 0 ? 'nothing lost' : lostText(quality);
  return [`${head}; ${lost}, ${guessed}`, ...warnings(quality)];
}

function lostText({ gaps, lostNs, totalNs }: Quality): string {
  return `${formatMany(gaps.length, 'gap')}, ${formatDuration(lostNs)} lost (${formatShare(lostNs, totalNs)})`;
}

function warnings(quality: Quality): string[] {
  const { lostNs, inferredNs, totalNs, clockSteps, unknownFlags, brokenInputs } = quality;
  const lines: string[] = [];
  for (const { input, reason } of brokenInputs)
    lines.push(`warning: ${input} breaks off (${reason}): what came before is used`);
  if (quality.damagedLines > 0) lines.push(...damagedText(quality));
  if (lostNs > WARNING_SHARE * totalNs) lines.push(`warning: ${formatShare(lostNs, totalNs)} of the time is lost`);
  if (inferredNs > WARNING_SHARE * totalNs) lines.push(inferredText(quality));
  lines.push(...gapTexts(quality));
  if (clockSteps > 0)
    lines.push(`note: ${formatMany(clockSteps, 'time')} stepped back and were set to the time before`);
  if (unknownFlags.length > 0) lines.push(`note: unknown flags, taken as jumps: ${someOf(unknownFlags)}`);
  return lines.map(escapeForTerminal);
}

/** Time after a loss, or below a jump that was not shown: the call path is likely, but no address proves it. */
function inferredText({ inferredNs, totalNs, gaps, inferredCalls }: Quality): string {
  const remedy = inferredCalls.HiddenJump > 0 && gaps.length === 0 ? '; --itrace=be shows the jumps that hide' : '';
  return `warning: ${formatShare(inferredNs, totalNs)} of the time is on call paths that were reasoned out${remedy}`;
}

function damagedText({ damagedLines, lines, firstDamaged }: Quality): string[] {
  const head = `warning: ${formatCount(damagedLines)} of ${formatMany(lines, 'line')} damaged and left out`;
  const shown = firstDamaged.map(
    ({ input, line, reason, text }) => `  ${input}:${line}: ${reason}: ${text.slice(0, MOST_CHARACTERS)}`,
  );
  return [head, ...shown];
}

function someOf(texts: readonly string[]): string {
  const shown = texts.slice(0, MOST_KINDS).map((text) => text.slice(0, MOST_CHARACTERS));
  const more = texts.length > MOST_KINDS ? ` and ${formatCount(texts.length - MOST_KINDS)} more` : '';
  return shown.join(', ') + more;
}

/** perf's own words, each once. */
function gapTexts({ gaps }: Quality): string[] {
  const counts = new Map<string, number>();
  for (const gap of gaps) {
    const text =
      gap.cause === 'decode-error'
        ? `${gap.message.slice(0, MOST_CHARACTERS)} (code ${gap.code})`
        : 'a trace start that follows from nothing';
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const sorted = [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
  const lines = sorted.slice(0, MOST_KINDS).map(([text, count]) => `note: ${formatMany(count, 'gap')}: ${text}`);
  if (sorted.length > MOST_KINDS) lines.push(`note: ${formatCount(sorted.length - MOST_KINDS)} more kinds of gaps`);
  return lines;
}
