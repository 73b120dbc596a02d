/**
 * Says in a sentence what stands out. The same words are on a page, in a terminal and after rendering.
 */

import { type Finding, findingsOf, type OwnTime, reasonsOfWaits } from '../analysis/findings/findings.js';
import { NO_PURE_WAITS, pureWaitsOf } from '../analysis/findings/pure-waits.js';
import { functionsOf } from '../analysis/tree/functions.js';
import { isLost, recordsSwitches } from '../analysis/tree/outside.js';
import { treeOfAllThreads } from '../analysis/tree/reshape.js';
import type { Profile, Quality, RemedyPlace, TraceMeta } from '../model/profile/profile.js';
import { hiddenJumpsRemedy, isOtherBuild, remedyOf } from '../model/profile/profile.js';
import type { WaitsByPath } from '../model/profile/waits-by-path.js';
import type { Nanoseconds, SymbolId } from '../model/units.js';
import { RECORDINGS, type SideNames } from './diff/paths.js';
import {
  formatCalls,
  formatDifference,
  formatDuration,
  formatMany,
  formatPercentChange,
  formatShare,
  threadNoun,
} from './format.js';
import { causeText } from './quality-summary.js';

/** A part of a sentence. Names and causes are input text, and not escaped. */
export interface SentencePart {
  readonly kind: 'text' | 'number' | 'name';
  readonly text: string;
  /** Of the name of a function. */
  readonly symbol?: SymbolId;
}

/** What words need to know of a trace. */
export interface FindingContext {
  readonly meta: Pick<TraceMeta, 'merged' | 'recorded'> & RemedyPlace;
  readonly quality: Pick<Quality, 'hiddenNs' | 'totalNs' | 'losses'>;
  readonly nameOf: (symbol: SymbolId) => string;
  /** Of a comparison; default: recordings. */
  readonly sides?: SideNames;
}

/** Returns what stands out of a profile, the most important first. `waits`: of the same trace; null: not known, or not asked. */
export function findingTexts(profile: Profile, waits: WaitsByPath | null) {
  const { meta, quality, symbols } = profile;
  const context = { meta, quality, nameOf: (symbol: SymbolId) => symbols.name[symbol] as string };
  return findingsOfProfile(profile, waits).map((finding) => {
    return { kind: finding.kind, text: findingText(finding, context) };
  });
}

/** Returns the findings, the most important first. `waits`: of the same trace; null: not known, or not asked. */
export function findingsOfProfile(profile: Profile, waits: WaitsByPath | null): Finding[] {
  const { meta, symbols, quality, threads } = profile;
  const tree = treeOfAllThreads(profile);
  const hasSwitches = recordsSwitches(tree, meta.hasSwitches);
  return findingsOf({
    ...{ meta, symbols, quality, hasSwitches },
    ...{ tree, shown: tree, hidesPureWaits: false },
    pureWaits: meta.isBlockedTime ? NO_PURE_WAITS : pureWaitsOf(tree, hasSwitches),
    functions: functionsOf(tree, null, hasSwitches),
    waits: waits && reasonsOfWaits(waits),
    groups: threads.map(({ comm, tree: own }) => ({ name: comm, ns: own.selfNs.reduce((sum, ns) => sum + ns, 0) })),
  });
}

/** Returns the sentence as one text. */
export function findingText(finding: Finding, context: FindingContext): string {
  return sentenceOf(finding, context)
    .map(({ text }) => text)
    .join('');
}

/** Returns the parts of the sentence, which follow each other without spaces. */
export function sentenceOf(finding: Finding, context: FindingContext): SentencePart[] {
  switch (finding.kind) {
    case 'lost':
      return lostSentence(finding, context);
    case 'inferred':
      return inferredSentence(finding, context);
    case 'waiting':
      return waitingSentence(finding);
    case 'pure-waits':
      return pureWaitsSentence(finding, context);
    case 'hidden-waits':
      return hiddenWaitsSentence(finding, context);
    case 'running':
      return runningSentence(finding, context);
    case 'blocked':
      return blockedSentence(finding, context);
    case 'comparison':
      return comparisonSentence(finding, context);
    case 'merged':
      return mergedSentence(finding, context);
  }
}

type Of<Kind extends Finding['kind']> = Extract<Finding, { readonly kind: Kind }>;

function lostSentence({ ns, allNs, isOfRunning, cause }: Of<'lost'>, { quality, meta }: FindingContext) {
  const of = isOfRunning ? ' of the time that could be traced is lost' : ' of the time is lost';
  const remedy = cause && remedyOf(cause, quality.losses, meta);
  const rank = cause && isOtherBuild(cause, quality.losses, meta) ? 'Probable' : 'Largest';
  const why = cause === null ? '' : `. ${rank} cause: ${causeText(cause)}`;
  return [share(ns, allNs), text(`${of}${why}${remedy === null ? '' : `; ${remedy}`}.`)];
}

function inferredSentence({ ns, allNs }: Of<'inferred'>, { quality, meta }: FindingContext): SentencePart[] {
  const remedy = hiddenJumpsRemedy(quality, meta);
  const around = remedy === null ? '' : `, in part around hidden jumps: ${remedy}`;
  return [share(ns, allNs), text(` of the time is on inferred call paths${around}.`)];
}

function pureWaitsSentence(finding: Of<'pure-waits'>, { nameOf }: FindingContext): SentencePart[] {
  const { ns, allNs, paths, largest, isOffCpu } = finding;
  const what = paths === 1 ? 'one call path' : formatMany(paths, 'call path');
  const did = isOffCpu ? ' that did nothing but wait' : ' outside traced code';
  return [
    share(ns, allNs),
    text(` of the time is ${what}${did}${paths === 1 ? ': ' : ', the largest in '}`),
    name(nameOf(largest.symbol), largest.symbol),
    text(` (${callsOf(largest)}${formatDuration(largest.ns)}).`),
  ];
}

function hiddenWaitsSentence({ ns, restNs, most }: Of<'hidden-waits'>, { nameOf }: FindingContext): SentencePart[] {
  const shown = [
    number(formatDuration(ns)),
    text(' of pure waiting is hidden; shown is the other '),
    number(formatDuration(restNs)),
  ];
  if (most === null) return [...shown, text('.')];
  const self = ` (self ${formatDuration(most.selfNs)}, ${formatShare(most.selfNs, restNs)}).`;
  return [...shown, text(', most in '), name(nameOf(most.symbol), most.symbol), text(self)];
}

function runningSentence({ ns, isOnCpu, first, second }: Of<'running'>, { nameOf }: FindingContext): SentencePart[] {
  const calls = first.calls === 0 ? '' : ` (${formatMany(first.calls, 'call')})`;
  const then = second && [
    text(', then '),
    name(nameOf(second.symbol), second.symbol),
    text(` ${formatShare(second.selfNs, ns)}`),
  ];
  return [
    text('Of the '),
    number(formatDuration(ns)),
    text(isOnCpu ? ' on the CPU, ' : ' in traced code, '),
    share(first.selfNs, ns),
    text(' is '),
    name(nameOf(first.symbol), first.symbol),
    text(` itself${calls}`),
    ...(then ?? []),
    text('.'),
  ];
}

function blockedSentence({ ns, waitedFor }: Of<'blocked'>, { nameOf }: FindingContext): SentencePart[] {
  const list = waitedFor.flatMap((row, at) => [
    text(at === 0 ? '' : ', '),
    name(nameOf(row.symbol).replace(/^-- /, '').replace('[interrupt]', 'a timer or device'), row.symbol),
    text(` ${formatShare(row.ns, ns)}`),
  ]);
  return [number(formatDuration(ns)), text(' of blocked time: '), ...list, text('.')];
}

function mergedSentence(finding: Of<'merged'>, { meta }: FindingContext): SentencePart[] {
  const { recordings, allNs, largest, pureWaitsNs } = finding;
  return [
    text(`${formatMany(recordings, 'recording')} have `),
    number(formatDuration(allNs)),
    text(` of thread time; of each ${threadNoun(meta)}, `),
    name(largest.name ?? 'one without a name'),
    text(` has most: ${formatShare(largest.ns, allNs)}`),
    text(pureWaitsNs === 0 ? '.' : `. Pure waits are ${formatShare(pureWaitsNs, allNs)} of all.`),
  ];
}

function comparisonSentence({ beforeNs, afterNs, largest }: Of<'comparison'>, context: FindingContext): SentencePart[] {
  const { sides = RECORDINGS, nameOf } = context;
  const change = formatDifference(afterNs - beforeNs);
  const isSame = Math.abs(afterNs - beforeNs) < 0.0005 * Math.max(1, beforeNs);
  const than = sides === RECORDINGS ? 'before' : `the ${sides.before}`;
  const subject = sides === RECORDINGS ? 'The recording after' : `The ${sides.after}`;
  const totals = isSame
    ? [text(`${subject} has as much time as ${than}: `), number(formatDuration(afterNs))]
    : [
        text(`${subject} has `),
        number(formatDuration(afterNs)),
        text(`, ${than} ${formatDuration(beforeNs)}: `),
        number(`${change}${beforeNs > 0 ? `, ${formatPercentChange(beforeNs, afterNs)}` : ''}`),
      ];
  if (largest === null) return [...totals, text(". No function's own time changed much beyond noise.")];
  const lost = isLost(largest.symbol) ? ': the trace has gaps there, so other functions may lack time' : '';
  return [
    ...totals,
    text('. Largest change of own time beyond noise: '),
    name(nameOf(largest.symbol), largest.symbol),
    text(' '),
    number(formatDifference(largest.afterNs - largest.beforeNs)),
    text(`${lost}.`),
  ];
}

function waitingSentence({ ns, allNs, reasons, isAtLeast }: Of<'waiting'>): SentencePart[] {
  const bound = isAtLeast ? '≥ ' : '';
  const list = reasons.map((row) => `${PLURALS[row.reason] ?? row.reason} ${bound}${formatShare(row.ns, allNs)}`);
  return [share(ns, allNs), text(` of the time is waiting: ${list.join(', ')}.`)];
}

/** Reasons of `ptflame waits` that can be counted. */
const PLURALS: Readonly<Record<string, string>> = {
  '': 'unknown reasons',
  mutex: 'mutexes',
  rwlock: 'rwlocks',
  condition: 'conditions',
  semaphore: 'semaphores',
  barrier: 'barriers',
  join: 'joins',
  sleep: 'sleeps',
  'file lock': 'file locks',
  'page fault': 'page faults',
  'kernel lock': 'kernel locks',
};

function callsOf({ calls, inferred }: Pick<OwnTime, 'calls' | 'inferred'>): string {
  if (calls === 0) return '';
  return inferred === 0 ? `${formatMany(calls, 'call')}, ` : `${formatCalls(calls, inferred)} calls complete, `;
}

function text(text: string): SentencePart {
  return { kind: 'text', text };
}

function name(text: string, symbol?: SymbolId): SentencePart {
  return { kind: 'name', text, ...(symbol !== undefined && { symbol }) };
}

function number(text: string): SentencePart {
  return { kind: 'number', text };
}

function share(ns: Nanoseconds, allNs: Nanoseconds): SentencePart {
  return number(formatShare(ns, allNs));
}
