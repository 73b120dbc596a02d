/**
 * How far a profile may be trusted, in words: one line, and what must not be overlooked.
 */
import type { Profile } from '../model/profile.js';
import type { LossKind, Quality } from '../model/quality.js';
import { formatCount, formatDuration, formatMany, formatShare } from './format.js';

/** Above this share of lost or inferred time a picture is not to be believed without a second look. */
const WARNING_SHARE = 0.05;

export interface QualitySummary {
  readonly line: string;
  /** What is damaged: inputs that broke off, lines left out. */
  readonly damage: readonly string[];
  /** Shares of the time that may be wrong, and are large. */
  readonly doubts: readonly string[];
  /** What is good to know, and no reason to doubt. */
  readonly notes: readonly string[];
}

export function qualitySummary(profile: Profile): QualitySummary {
  const { quality, threads, meta } = profile;
  const span = meta.weight === 'ns' ? `${formatDuration(meta.endNs - meta.startNs)} of ` : '';
  const head = `${formatMany(quality.events, 'event')} in ${span}${formatMany(threads.length, 'thread')}`;
  const line = `${head}; ${lostText(quality, threads.length)}, ${guessText(quality)}`;
  return { line, damage: damageOf(quality), doubts: doubtsOf(quality), notes: notesOf(profile) };
}

/** How many gaps these causes have together. */
export function gapCount(losses: readonly LossKind[]): number {
  return losses.reduce((sum, { gaps }) => sum + gaps, 0);
}

function lostText({ losses, threadsCut, lostNs, totalNs }: Quality, threadCount: number): string {
  if (losses.length === 0) return 'nothing lost';
  const where = `in ${formatCount(threadsCut)} of ${formatMany(threadCount, 'thread')}`;
  const gaps = formatMany(gapCount(losses), 'gap');
  return `${gaps} ${where}, ${formatDuration(lostNs)} lost (${formatShare(lostNs, totalNs)})`;
}

function guessText({ inferredCalls, undecidedEvents }: Quality): string {
  const cut = Object.values(inferredCalls).reduce((sum, calls) => sum + calls, 0);
  const undecided = undecidedEvents === 0 ? '' : `, ${formatMany(undecidedEvents, 'event')} undecided`;
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

function doubtsOf({ lostNs, inferredNs, totalNs }: Quality): string[] {
  const doubts: string[] = [];
  if (lostNs > WARNING_SHARE * totalNs) doubts.push(`${formatShare(lostNs, totalNs)} of the time is lost`);
  if (inferredNs > WARNING_SHARE * totalNs)
    doubts.push(`${formatShare(inferredNs, totalNs)} of the time is on call paths that were reasoned out`);
  return doubts;
}

function notesOf({ meta: { recorded }, quality: { hiddenNs, totalNs } }: Profile): string[] {
  if (hiddenNs <= WARNING_SHARE * totalNs) return [];
  const where = `${formatShare(hiddenNs, totalNs)} of the time is in doubt around jumps that the trace does not show`;
  return [`${where}; ${recorded ? '--precise' : '--itrace=be'} shows them`];
}
