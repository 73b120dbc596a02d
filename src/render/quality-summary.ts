/**
 * How far a profile may be trusted, in words: one line, and what must not be overlooked.
 */
import type { TraceMeta } from '../model/profile/profile.js';
import type { Quality } from '../model/profile/quality.js';
import { hiddenJumpsRemedy, WARNING_SHARE } from '../model/profile/remedies.js';
import { formatCount, formatDuration, formatMany, formatShare } from './format.js';
import { gapCount, lossTexts } from './loss-texts.js';

/** A garbled trace has any number of unknown words. */
const MAX_FLAGS = 10;
const MAX_CAUSES = 10;

/** A profile, or what a page knows of one. */
export interface ProfileHeader {
  readonly meta: TraceMeta;
  readonly quality: Quality;
  readonly threads: { readonly length: number };
}

export interface QualitySummary {
  readonly line: string;
  /** What is damaged: inputs that broke off, lines left out. */
  readonly damage: readonly string[];
  /** Shares of the time that may be wrong, and are large. */
  readonly caveats: readonly string[];
  /** What was lost by what cause, and what else is good to know, with what helps; the text of other people in it is not escaped. */
  readonly notes: readonly string[];
}

/** `mostCauses`: of loss, which are told apart. */
export function qualitySummary({ quality, threads, meta }: ProfileHeader, mostCauses = MAX_CAUSES): QualitySummary {
  const span = meta.weight === 'ns' ? `${formatDuration(meta.endNs - meta.startNs)} of ` : '';
  const head = `${formatMany(quality.events, 'event')} in ${span}${formatMany(threads.length, 'thread')}`;
  const notes = [...lossTexts(quality, mostCauses), ...hiddenNotes(quality, meta), ...otherNotes(quality)];
  const line = `${head}; ${lostText(quality, threads.length)}, ${inferredText(quality)}`;
  return { line, damage: damageOf(quality), caveats: caveatsOf(quality), notes };
}

function lostText({ losses, threadsCut, lostNs, totalNs }: Quality, threadCount: number): string {
  if (losses.length === 0) return 'nothing lost';
  const where = `in ${formatCount(threadsCut)} of ${formatMany(threadCount, 'thread')}`;
  const gaps = formatMany(gapCount(losses), 'gap');
  return `${gaps} ${where}, ${formatDuration(lostNs)} lost (${formatShare(lostNs, totalNs)})`;
}

function inferredText({ inferredCalls, inferredEvents }: Quality): string {
  const cut = Object.values(inferredCalls).reduce((sum, calls) => sum + calls, 0);
  const undecided = inferredEvents === 0 ? '' : `, ${formatMany(inferredEvents, 'event')} undecided`;
  return `${formatMany(cut, 'call')} cut${undecided}`;
}

function damageOf({ damagedLines, lines, brokenInputs }: Quality): string[] {
  const damage: string[] = [];
  if (brokenInputs.length > 0)
    damage.push(`${formatMany(brokenInputs.length, 'input')} broke off: what came before is used`);
  if (damagedLines > 0)
    damage.push(`${formatMany(damagedLines, 'damaged line')} of ${formatMany(lines, 'line')} left out`);
  return damage;
}

function caveatsOf({ lostNs, inferredNs, totalNs }: Quality): string[] {
  const doubts: string[] = [];
  if (lostNs > WARNING_SHARE * totalNs) doubts.push(`${formatShare(lostNs, totalNs)} of the time is lost`);
  if (inferredNs > WARNING_SHARE * totalNs)
    doubts.push(`${formatShare(inferredNs, totalNs)} of the time is on call paths that were reasoned out`);
  return doubts;
}

function hiddenNotes(quality: Quality, meta: TraceMeta): string[] {
  const remedy = hiddenJumpsRemedy(quality, meta);
  const share = formatShare(quality.hiddenNs, quality.totalNs);
  return remedy === null
    ? []
    : [`${share} of the time is in doubt around jumps that the trace does not show; ${remedy}`];
}

function otherNotes({ clockSteps, unknownFlags, unknownFlagLines }: Quality): string[] {
  const notes: string[] = [];
  if (clockSteps > 0) notes.push(`${formatMany(clockSteps, 'time')} stepped back and were set to the time before`);
  const some = unknownFlags.slice(0, MAX_FLAGS).join(', ') + (unknownFlags.length > MAX_FLAGS ? ' and more' : '');
  if (unknownFlagLines > 0)
    notes.push(`unknown flags on ${formatMany(unknownFlagLines, 'line')}, taken as jumps: ${some}`);
  return notes;
}
