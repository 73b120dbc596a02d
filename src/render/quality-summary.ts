/**
 * Summarizes the quality of a profile in words: one line, warnings, and notes.
 */

import { DOUBTFUL_INFERRED } from '../analysis/findings/thresholds.js';
import { doubtWords } from '../model/calls/doubts.js';
import type { LossKind, Quality, RemedyPlace, TraceMeta } from '../model/profile/profile.js';
import {
  type InferredTime,
  inferredTimes,
  missingFiles,
  missingFilesRemedy,
  remedyOf,
  toldLosses,
  WARNING_SHARE,
} from '../model/profile/profile.js';
import type { OtherSamples } from '../model/sample-table.js';
import { formatCount, formatDuration, formatMany, formatShare, threadNoun } from './format.js';

/** A garbled trace can have any number of unknown flags. */
const MAX_FLAGS = 10;
const MAX_CAUSES = 10;

/** What the summary needs of a profile; a report page has no more. */
export interface ProfileHeader {
  readonly meta: TraceMeta & RemedyPlace;
  readonly quality: Quality;
  readonly threads: { readonly length: number };
}

export interface QualitySummary {
  readonly line: string;
  /** Damage to the input: inputs that ended early, lines left out. */
  readonly damage: readonly string[];
  /**
   * Large shares of lost or inferred time. The first is `isMostlyMissing`, if that is so. Input text in them is not escaped.
   */
  readonly warnings: readonly string[];
  /** Losses by cause and other observations, with remedies; input text in them is not escaped. */
  readonly notes: readonly string[];
  /** Most of the time on the CPU is lost for lack of the binaries' files: the first warning says so, and is the first thing to read. */
  readonly isMostlyMissing: boolean;
}

/** Summarizes the quality. `maxCauses`: number of loss causes with a line of their own. */
export function qualitySummary({ quality, threads, meta }: ProfileHeader, maxCauses = MAX_CAUSES): QualitySummary {
  const notes = [...lossTexts(quality, meta, maxCauses), ...inferredNotes(quality, meta), ...otherNotes(quality)];
  const line = `${sizeText(quality, threads.length, meta)}; ${lostText(quality, threads.length, meta)}, ${countsText(quality)}`;
  const missing = missingText(quality, meta);
  const warnings = [...(missing === null ? [] : [missing]), ...warningsOf(quality, meta, missing !== null)];
  return { line, damage: damageOf(quality), warnings, notes, isMostlyMissing: missing !== null };
}

/** "8 events of 2 threads in 1 ms"; of a part, "100 µs of 2 threads, selected from 8 events": those of the part are not counted. */
function sizeText({ events }: Quality, threadCount: number, meta: TraceMeta): string {
  const { weight, startNs, endNs, part, merged } = meta;
  const [seen, threads] = [formatMany(events, 'event'), formatMany(threadCount, threadNoun(meta))];
  const duration = weight === 'ns' ? formatDuration(endNs - startNs) : null;
  if (merged) return `${seen} of ${formatMany(merged.recordings, 'recording')}`;
  if (part) return `${duration === null ? '' : `${duration} of `}${threads}, selected from ${seen}`;
  return `${seen} of ${threads}${duration === null ? '' : ` in ${duration}`}`;
}

function lostText(
  { losses, threadsCut, lostNs, totalNs }: Quality,
  threadCount: number,
  { merged, isBlockedTime }: TraceMeta,
): string {
  if (losses.length === 0) return 'nothing lost';
  const where = merged ? '' : ` in ${formatCount(threadsCut)} of ${formatMany(threadCount, 'thread')}`;
  const gaps = formatMany(gapCount(losses), 'gap');
  const share = isBlockedTime ? '' : ` (${formatShare(lostNs, totalNs)})`; // lost time is no part of blocked time
  return `${gaps}${where}, ${formatDuration(lostNs)} lost${share}`;
}

function countsText({ inferredCalls, inferredEvents }: Quality): string {
  const total = Object.values(inferredCalls).reduce((sum, calls) => sum + calls, 0);
  const events = inferredEvents === 0 ? '' : ` and ${formatMany(inferredEvents, 'event')}`;
  return `${formatMany(total, 'call')}${events} inferred`;
}

/** Says in a few words how far to trust a profile: "Nothing lost · 59 inferred", "0.99 % lost". */
export function trustOf({ quality, meta }: ProfileHeader): { readonly text: string; readonly isDoubtful: boolean } {
  const { losses, lostNs, totalNs, inferredCalls } = quality;
  const inferred = Object.values(inferredCalls).reduce((sum, calls) => sum + calls, 0);
  const lost = meta.isBlockedTime ? formatDuration(lostNs) : formatShare(lostNs, totalNs);
  const isDamaged = damageOf(quality).length > 0;
  const parts = [
    ...(isDamaged ? ['Damaged input'] : []),
    losses.length === 0 ? 'Nothing lost' : lostNs > 0 ? `${lost} lost` : formatMany(gapCount(losses), 'gap'),
    ...(inferred === 0 ? [] : [`${formatCount(inferred)} inferred`]),
  ];
  const isLost = lostNs > CHIP_LOST * totalNs;
  const isInferred = inferredAloneNs(quality) > DOUBTFUL_INFERRED * totalNs;
  return { text: parts.join(' · '), isDoubtful: isDamaged || isLost || isInferred };
}

/** The chip warns earlier than a finding, which takes a line. */
const CHIP_LOST = 0.01;

/** Returns the inferred time without what is lost. */
function inferredAloneNs({ inferredNs, lostNs, hiddenNs }: Pick<Quality, 'inferredNs' | 'lostNs' | 'hiddenNs'>) {
  return Math.max(0, inferredNs - lostNs) + hiddenNs;
}

function damageOf({ damagedLines, lines, brokenInputs }: Quality): string[] {
  const damage: string[] = [];
  if (brokenInputs.length > 0)
    damage.push(`${formatMany(brokenInputs.length, 'input')} ended early: the data before is used`);
  if (damagedLines > 0)
    damage.push(`${formatCount(damagedLines)} of ${formatMany(lines, 'line')} damaged and left out`);
  return damage;
}

const MOST = 0.5;
const MAX_MISSING = 3;

/**
 * Says that most of the time on the CPU is lost because files are missing: threads that mostly wait lose little of their time on
 * the clock, and yet all of what was traced.
 */
function missingText({ losses, lostNs, codeNs }: Quality, meta: ProfileHeader['meta']): string | null {
  const missing = codeNs === undefined || meta.isBlockedTime ? null : missingFiles(losses);
  const onCpuNs = (codeNs ?? 0) + lostNs;
  if (missing === null || missing.lostNs <= MOST * onCpuNs) return null;
  const { files } = missing;
  const names = files
    .slice(0, MAX_MISSING)
    .map(({ file, lostNs }) => truncateStart(file) + (files.length === 1 ? '' : ` (${formatDuration(lostNs)})`));
  const more = files.length > MAX_MISSING ? [formatMany(files.length - MAX_MISSING, 'more file')] : [];
  const share = formatShare(missing.lostNs, onCpuNs);
  const states = files.length === 1 ? 'is missing or another build' : 'are missing or other builds';
  return `${share} of the time on the CPU is lost (${formatDuration(missing.lostNs)}): ${formatMany(files.length, 'file')} ${states}: ${[...names, ...more].join(', ')}; ${missingFilesRemedy(meta)}`;
}

/** `isSaid`: why most of the time on the CPU is lost. */
function warningsOf(quality: Quality, meta: TraceMeta, isSaid: boolean): string[] {
  const { lostNs, totalNs } = quality;
  const { isBlockedTime } = meta;
  const warnings: string[] = [];
  if (!isSaid && !isBlockedTime && lostNs > WARNING_SHARE * totalNs)
    warnings.push(`${formatShare(lostNs, totalNs)} of the time is lost`);
  const inferred = inferredShareText(quality, meta);
  if (inferred !== null && isGrave(quality)) warnings.push(inferred);
  return warnings;
}

/** Time around hidden jumps is mostly where it should be. */
function isGrave({ inferredNs, lostNs, totalNs }: Quality): boolean {
  return inferredNs - lostNs > WARNING_SHARE * totalNs;
}

/** Less than this is not worth a note. */
const NOTED_SHARE = 0.01;

function inferredNotes(quality: Quality, meta: TraceMeta): string[] {
  const inferred = inferredShareText(quality, meta);
  const isNoted = inferredAloneNs(quality) > NOTED_SHARE * quality.totalNs && !isGrave(quality);
  return inferred !== null && isNoted ? [inferred] : [];
}

const MAX_REASONS = 3;
/** A smaller part of the inferred time is not worth a reason. */
const NAMED_PART = 0.05;

/**
 * "12 % of the time is inferred: 9 % after losses, until a return confirms the stack; 3 % around hidden jumps (--precise shows
 * them)". Lost time is counted apart. Null: none is inferred.
 */
export function inferredShareText(quality: Quality, meta: TraceMeta): string | null {
  return inferredText(quality, inferredTimes(quality, meta));
}

/** The same of times that are known already. */
export function inferredText(
  quality: Pick<Quality, 'inferredNs' | 'hiddenNs' | 'lostNs' | 'totalNs'>,
  all: readonly InferredTime[] | null,
): string | null {
  const times = all?.filter(({ doubt }) => doubt !== 'Lost');
  const ns = times?.reduce((sum, time) => sum + time.ns, 0) ?? inferredAloneNs(quality);
  if (ns === 0) return null;
  const { totalNs } = quality;
  const head = `${formatShare(ns, totalNs)} of the time is inferred`;
  if (times === undefined) return head;
  const shown = times.filter((time) => time.ns >= NAMED_PART * ns).slice(0, MAX_REASONS);
  const reasons = shown.map(({ doubt, ns: ownNs, remedy }) => {
    const share = shown.length === 1 ? '' : `${formatShare(ownNs, totalNs)} `;
    return `${share}${doubtWords(doubt).long}${remedy === null ? '' : ` (${remedy})`}`;
  });
  return `${head}: ${shown.length === 1 && times.length > 1 ? 'mostly ' : ''}${reasons.join('; ')}`;
}

function otherNotes(quality: Quality): string[] {
  const { clockSteps, mendedHits = 0, leftOutCalls = 0, otherSamples, unknownFlags, unknownFlagLines } = quality;
  const notes: string[] = [];
  if (otherSamples !== undefined) notes.push(`${otherSamplesText(otherSamples)}: not used`);
  if (clockSteps > 0) notes.push(`${formatMany(clockSteps, 'timestamp')} went backwards, set to the previous time`);
  if (mendedHits > 0)
    notes.push(`${formatMany(mendedHits, 'probe hit')} mended: what was decoded after their breakpoints is left out`);
  if (leftOutCalls > 0)
    notes.push(`${formatMany(leftOutCalls, 'call')} between probes left out: without a return, or across other calls`);
  const flags = unknownFlags.slice(0, MAX_FLAGS).join(', ') + (unknownFlags.length > MAX_FLAGS ? ' and more' : '');
  if (unknownFlagLines > 0)
    notes.push(`unknown flags on ${formatMany(unknownFlagLines, 'line')}, treated as jumps: ${flags}`);
  return notes;
}

/** "120 samples of other events (cycles, page-faults)". */
export function otherSamplesText(others: readonly OtherSamples[]): string {
  const count = others.reduce((sum, { samples }) => sum + samples, 0);
  const names = others.map(({ event }) => event ?? 'without a name');
  return `${formatMany(count, 'sample')} of other events (${names.join(', ')})`;
}

const MAX_MESSAGE_LENGTH = 80;
const MAX_FILE_LENGTH = 160;

/**
 * Describes losses in words: one line per cause, with its remedy.
 *
 * Returns one line per cause, as they are told; causes after the first `maxCauses` share a line. Input text is not escaped.
 */
function lossTexts(
  { losses }: Pick<Quality, 'losses'>,
  meta: Pick<TraceMeta, 'recorded'> & RemedyPlace,
  maxCauses: number,
): string[] {
  const told = toldLosses(losses, meta);
  const lines = told.slice(0, maxCauses).map((kind) => {
    const remedy = remedyOf(kind, losses, meta);
    return `${amountText([kind])}: ${causeText(kind)}${remedy === null ? '' : `; ${remedy}`}`;
  });
  const others = told.slice(maxCauses);
  if (others.length > 0) lines.push(`${amountText(others)}: other causes`);
  return lines;
}

/** Counts the gaps of all causes. */
function gapCount(losses: readonly LossKind[]): number {
  return losses.reduce((sum, { gaps }) => sum + gaps, 0);
}

/** Returns "5 gaps, 1.2 ms lost". */
function amountText(kinds: readonly LossKind[]): string {
  const lostNs = kinds.reduce((sum, kind) => sum + kind.lostNs, 0);
  return `${formatMany(gapCount(kinds), 'gap')}, ${formatDuration(lostNs)} lost`;
}

/** Returns "Overflow packet (code 7)". Input text is not escaped. */
export function causeText({ cause, code, message, file }: LossKind): string {
  const number = cause !== 'decode-error' ? '' : code === null ? ' (code above 99)' : ` (code ${code})`;
  return `${message.slice(0, MAX_MESSAGE_LENGTH)}${number}${file === null ? '' : ` in ${truncateStart(file)}`}`;
}

/** Keeps the end of a path, which is more useful than its start. */
function truncateStart(file: string): string {
  return file.length <= MAX_FILE_LENGTH ? file : `…${file.slice(1 - MAX_FILE_LENGTH)}`;
}
