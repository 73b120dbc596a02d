/**
 * A profile: the result of replay, as input for renderers and answers; its quality, and what would improve it.
 */
import type { CallTree } from '../calls/call-tree.js';
import { byTime, type DoubtContext, type DoubtName, type DoubtTimes, doubtAdvice } from '../calls/doubts.js';
import type { FunctionDurations } from '../calls/durations.js';
import type { Resumptions } from '../calls/resumptions.js';
import type { OtherSamples } from '../sample-table.js';
import { homeOfCode, type SymbolTable } from '../symbol-table.js';
import { type Nanoseconds, NONE, type Tid } from '../units.js';

export interface ThreadProfile {
  readonly tid: Tid;
  /** From a pid column or from task records; null if the trace has neither. */
  readonly pid: number | null;
  /** The thread's last name, likewise. */
  readonly comm: string | null;
  /** The self times of the tree add up to endNs − startNs; for a part of a trace, to at most that. */
  readonly startNs: Nanoseconds;
  readonly endNs: Nanoseconds;
  /** Only its root if the profile has one tree for all threads. */
  readonly tree: CallTree;
  /** Of complete calls; null: unknown, or counted for all threads together. */
  readonly durations: FunctionDurations | null;
  /** The part of the inferred time that is only around hidden jumps: `Doubt.HiddenJump`. */
  readonly hiddenNs: Nanoseconds;
  /** Who went on with other stacks of the thread; absent: nobody, or it is unknown, as in a part of a recording. */
  readonly resumptions?: Resumptions | undefined;
}

/** The machine and perf that recorded a trace; null: the recording does not contain it. */
export interface RecordingEnvironment {
  readonly host: string | null;
  readonly kernel: string | null;
  readonly cpu: string | null;
  readonly perf: string | null;
  /** The command that recorded it. */
  readonly command: readonly string[] | null;
  /** Wall-clock time, UTC, ISO 8601. */
  readonly startedAt: string | null;
  /** Files that ran, of which any build may be read: the recording has no build id of them. Absent: none. */
  readonly withoutBuildId?: readonly string[] | undefined;
}

export interface TraceMeta {
  /** perf's clock at time 0 of the profile. */
  readonly originNs: bigint;
  /** From the first to the last certain time over all threads. */
  readonly startNs: Nanoseconds;
  readonly endNs: Nanoseconds;
  /** The first certain time of the whole trace, if only a window is selected. Absent: `startNs`. */
  readonly firstNs?: Nanoseconds | undefined;
  readonly scope: 'user' | 'user+kernel';
  /** `calls`: the trace has no times, and a node's self value is its number of calls. */
  readonly weight: 'ns' | 'calls';
  /**
   * All times are of waits: a path is the waiter's, whom it waited for, and then, upside down, what that thread did. The waiter
   * had no CPU meanwhile, wherever the path leads. Absent: times are those of the threads.
   */
  readonly isBlockedTime?: true | undefined;
  /** The trace has switch records, which show when threads were off CPU; null: unknown. */
  readonly hasSwitches: boolean | null;
  /** Jumps between functions were decoded; absent: they were not, or it is unknown. */
  readonly showsJumps?: true | undefined;
  /** The selected part of the trace in words; null: all of its time. */
  readonly part: string | null;
  /** null: it was read from text, or from several recordings. */
  readonly recorded: RecordingEnvironment | null;
  /** Of a sum of recordings: its `threads` are groups, whose ids, starts and ends mean nothing. Absent: one trace. */
  readonly merged?: Merged | undefined;
}

/** `recordings` were added up by command name, host or build. Times are sums, not those of a clock. */
export interface Merged {
  readonly recordings: number;
  readonly by: MergedBy;
}

export type MergedBy = 'comm' | 'host' | 'build';

export interface Profile {
  readonly meta: TraceMeta;
  readonly symbols: SymbolTable;
  readonly threads: readonly ThreadProfile[]; // by tid
  /** One tree for all threads; null if every thread has its own. */
  readonly together: CallTree | null;
  /** Of the complete calls of all threads, if they have one tree; null: unknown, or every thread has its own. */
  readonly durations: FunctionDurations | null;
  readonly quality: Quality;
}

// The quality of a profile: what was damaged, lost or inferred.

/** Why a call is inferred: its start or end was not seen. */
export const Inference = {
  /** It was running when the thread's trace began. */
  OpenAtStart: 0,
  /** It was still running when the trace ended, or when its program did (exec). */
  OpenAtEnd: 1,
  /** A gap in the trace cut it. */
  CutByGap: 2,
  /** It was left without a return, at a time that nothing in the trace proves. */
  Unwound: 3,
  /** It was entered by a hidden jump. */
  HiddenJump: 4,
} as const;
export type Inference = (typeof Inference)[keyof typeof Inference];
export type InferenceName = keyof typeof Inference;

/**
 * Instead of an `Inference`: both ends of the call are known, but an exception, a longjmp or a return to a deeper caller
 * ended it. It is complete, and counts with its duration.
 */
export const UNWOUND = 5;

/** Whether start and end of a call are known. `why`: an `Inference`, UNWOUND, or NONE if it returned. */
export function isComplete(why: number): boolean {
  return why === NONE || why === UNWOUND;
}

export type TraceGap = {
  readonly tid: Tid;
  readonly atNs: Nanoseconds;
  /** Until the thread was seen again. */
  readonly lengthNs: Nanoseconds;
} & (
  | {
      readonly cause: 'decode-error';
      /** perf's number and text of the first error in the gap; the text is cut if it is longer than any of perf's own. */
      readonly code: number;
      readonly message: string;
      /** The file that contains the address of the error; null if unknown. */
      readonly file: string | null;
    }
  /** Tracing started again without continuing what came before: something is missing, but perf reported no error. */
  | { readonly cause: 'unannounced' }
  /**
   * The thread ran, but no branch of it was decoded: it is never seen again, or perf lacked code elsewhere. `file`: where the thread
   * was last, if perf lacked the code of that file.
   */
  | { readonly cause: 'undecoded'; readonly file: string | null }
);

/** The sum of all gaps with one cause. */
export interface LossKind {
  /** `others`: all kinds that do not fit into the list, those with the least loss. */
  readonly cause: TraceGap['cause'] | 'others';
  /** perf's number of the error; null for other causes, and for all numbers above 99, which are one kind. */
  readonly code: number | null;
  /** perf's text for this number; for numbers that no known perf uses, the smallest text that occurred. */
  readonly message: string;
  /** For errors caused by the code in a file: that file; null for other errors, and if unknown. */
  readonly file: string | null;
  readonly gaps: number;
  /** Wall time, over all threads. */
  readonly lostNs: Nanoseconds;
}

export interface DamagedLine {
  readonly input: string;
  /** Counted from 1. */
  readonly line: number;
  readonly text: string;
  readonly reason: string;
}

/** Counts lines of text: every line is one of the four kinds. */
export interface LineCounts {
  lines: number;
  events: number;
  gapLines: number; // perf's error lines
  ignoredLines: number; // understood, but not needed: headers, records of other events, threads that are not selected
  damagedLines: number;
}

export interface Quality extends Readonly<LineCounts> {
  /** Samples of tracepoints and probes, among the ignored lines; absent: none. */
  readonly sampleLines?: number | undefined;
  /** Samples of events that are not used, by event; of text, they are ignored lines. Absent: none. */
  readonly otherSamples?: readonly OtherSamples[] | undefined;
  /** By input name, then line; ten at most. */
  readonly firstDamaged: readonly DamagedLine[];
  /** Inputs that could not be read to their end, and why. */
  readonly brokenInputs: readonly { readonly input: string; readonly reason: string }[];
  /** Every gap counts in one of them; by time lost, then number of gaps, descending; at most 64, and one for all others. */
  readonly losses: readonly LossKind[];
  /** For drawing, by thread, then time: all gaps, or the 10,000 longest. */
  readonly gaps: readonly TraceGap[];
  /** Threads that have a gap. */
  readonly threadsCut: number;
  readonly inferredCalls: Readonly<Record<InferenceName, number>>;
  /** Events whose effect on the stack had to be inferred. */
  readonly inferredEvents: number;
  /** Times before that of the previous event, which were set to it. */
  readonly clockSteps: number;
  /** Wall time over all threads in functions, on the CPU: what was decoded. Absent: nothing was lost. */
  readonly codeNs?: Nanoseconds;
  /** Hits of probes whose damage to the trace was taken out; absent: none. */
  readonly mendedHits?: number;
  /** Calls between probes that did not return, or that cross others: they are not in the tree. Absent: none. */
  readonly leftOutCalls?: number;
  /** Flag words that no known perf prints, handled as jumps: the 100 smallest, each cut to 80 characters. */
  readonly unknownFlags: readonly string[];
  /** Lines with such words. */
  readonly unknownFlagLines: number;
  /**
   * Wall time, over all threads. Lost: nothing is known. Inferred: for whatever reason, also because it is lost, but not
   * only around hidden jumps. Hidden: inferred, only around hidden jumps. Unknown: in functions without a name. Total:
   * everything.
   */
  readonly lostNs: Nanoseconds;
  readonly inferredNs: Nanoseconds;
  readonly hiddenNs: Nanoseconds;
  readonly unknownNs: Nanoseconds;
  readonly totalNs: Nanoseconds;
  /** Inferred and hidden time by reason; absent: there is none, or it is unknown why. */
  readonly inferredBy?: DoubtTimes | undefined;
}

export function noLines(): LineCounts {
  return { lines: 0, events: 0, gapLines: 0, ignoredLines: 0, damagedLines: 0 };
}

export function noInferences(): Record<InferenceName, number> {
  return { OpenAtStart: 0, OpenAtEnd: 0, CutByGap: 0, Unwound: 0, HiddenJump: 0 };
}

// Remedies for what a trace lacks, in the same words for terminal, pictures and files.

/** A larger share of lost or inferred time than this is worth a warning. */
export const WARNING_SHARE = 0.05;

/** Returns how to show hidden jumps; null: too little time is inferred because of them, or they are shown. */
export function hiddenJumpsRemedy(
  { hiddenNs, losses, totalNs }: Pick<Quality, 'hiddenNs' | 'losses' | 'totalNs'>,
  meta: Pick<TraceMeta, 'recorded' | 'showsJumps'>,
): string | null {
  return hiddenNs <= WARNING_SHARE * totalNs ? null : doubtAdvice('HiddenJump', contextOf(losses, meta));
}

/** Why time is inferred, the most of it first, with what helps. */
export interface InferredTime {
  readonly doubt: DoubtName;
  readonly ns: Nanoseconds;
  readonly remedy: string | null;
}

/** Returns null if the reasons are not known, or are those of more than this quality is about. */
export function inferredTimes(
  { inferredBy, inferredNs, hiddenNs, losses }: Pick<Quality, 'inferredBy' | 'inferredNs' | 'hiddenNs' | 'losses'>,
  meta: Pick<TraceMeta, 'recorded' | 'showsJumps'>,
): InferredTime[] | null {
  const rows = inferredBy && byTime(inferredBy);
  if (rows?.reduce((sum, [, ns]) => sum + ns, 0) !== inferredNs + hiddenNs) return null;
  const context = contextOf(losses, meta);
  return rows.map(([doubt, ns]) => ({ doubt, ns, remedy: doubtAdvice(doubt, context) }));
}

function contextOf(losses: readonly LossKind[], meta: Pick<TraceMeta, 'recorded' | 'showsJumps'>): DoubtContext {
  const isLedAstray = losses.some((kind) => isOtherBuild(kind, losses, meta));
  const mayBeGenerated = (kind: LossKind) =>
    isGenerated(kind) || (kind.code !== null && lacksCode(kind) && kind.file === null && !isLedAstray);
  return {
    isRecorded: meta.recorded !== null,
    showsJumps: meta.showsJumps === true,
    lacksGeneratedCode: losses.some(mayBeGenerated),
  };
}

/** Returns how to record the time that threads had a CPU: without it, traced time is only a lower bound. */
export function switchesRemedy({ recorded }: Pick<TraceMeta, 'recorded'>): string {
  return recorded ? 'record with --switch-events' : 'decode with --show-switch-events';
}

const REMEDIES: Readonly<Record<number, string>> = {
  1: 'run fewer decoders at a time',
  2: 'another version of perf may read it',
  3: 'the recording is damaged: record again',
  7: 'record less per CPU: no cyc, a filter, or a larger cyc_thresh',
  8: 'use a larger buffer (-m ,64M), fewer CPUs, or a shorter recording',
  10: 'perf config intel-pt.max-loops=… sets how long perf tries',
};

/** Adds remedies to a quality, as in files and answers. */
export function withRemedies(quality: Quality, meta: Pick<TraceMeta, 'recorded' | 'hasSwitches' | 'showsJumps'>) {
  const inferred = inferredTimes(quality, meta);
  const { inferredBy, ...rest } = quality;
  return {
    ...rest,
    ...(inferred && { inferredBy }),
    losses: quality.losses.map((kind) => ({ ...kind, remedy: remedyOf(kind, quality.losses, meta) })),
    remedies: {
      hiddenJumps: hiddenJumpsRemedy(quality, meta),
      ...(inferred && { inferredBy: Object.fromEntries(inferred.map(({ doubt, remedy }) => [doubt, remedy])) }),
      switches: meta.hasSwitches === false ? switchesRemedy(meta) : null,
    },
  };
}

/** What helps for code that a JIT compiler generated. It has neither a file nor symbols that could be installed. */
export const GENERATED_REMEDY =
  'code of a JIT compiler: node --perf-prof and other jitdumps keep it; for LuaJIT and PCRE, which write none, nothing does (docs/decoder.md)';

type Cause = Pick<LossKind, 'cause' | 'code' | 'file'>;

/** Where a remedy is read. */
export interface RemedyPlace {
  /** Binaries are dropped there; default: options name them. */
  readonly takesBinaries?: boolean;
}

type RemedyContext = Pick<TraceMeta, 'recorded'> & RemedyPlace;

/** Returns the remedy for a cause of loss; null: none is known. `all`: the causes of the same profile. */
export function remedyOf(kind: Cause, all: readonly Cause[], context: RemedyContext): string | null {
  const { recorded } = context;
  if (!lacksCode(kind)) return REMEDIES[kind.code ?? 0] ?? null;
  switch (homeOfCode(kind.file)) {
    case 'generated':
      return GENERATED_REMEDY;
    case 'kernel':
      return "perf record --kcore keeps the kernel's code, except that of modules that are loaded later";
    case 'file':
      return remedyForFile(kind, all, context);
    case 'unmapped':
      if (kind.cause === 'undecoded')
        return all.some(isGenerated) ? GENERATED_REMEDY : waysToGive('keep all binaries that ran', context);
      if (recorded === null)
        return 'perf script --show-mmap-events shows the file, unless a JIT compiler generated the code';
      return all.some((other) => isOtherBuild(other, all, context))
        ? 'no mapping was recorded there: the other build leads there, or it is code of a JIT compiler (docs/decoder.md)'
        : `no mapping was recorded there, most likely ${GENERATED_REMEDY}`;
  }
}

/** The trace contradicts a file that no build id identifies. With another build, decoding goes astray. */
export function isOtherBuild(
  { code, file }: Cause,
  all: readonly Cause[],
  { recorded }: Pick<TraceMeta, 'recorded'>,
): boolean {
  const isUnidentified = file !== null && recorded?.withoutBuildId?.includes(file) === true;
  return code === OTHER_CODE && isUnidentified && !all.some(isGenerated);
}

/** Returns the causes as they are told: by time lost, but another build before code without a mapping, where it leads. */
export function toldLosses(losses: readonly LossKind[], meta: Pick<TraceMeta, 'recorded'>): readonly LossKind[] {
  const first = losses.findIndex((kind) => lacksCode(kind) && homeOfCode(kind.file) === 'unmapped');
  const follow = losses.slice(Math.max(first, 0));
  const others = follow.filter((kind) => isOtherBuild(kind, losses, meta));
  return first < 0 ? losses : [...losses.slice(0, first), ...new Set([...others, ...follow])];
}

/** Lost for lack of files that have the code: how much, in total and by file, the largest first. */
export interface MissingFiles {
  readonly lostNs: Nanoseconds;
  readonly files: readonly { readonly file: string; readonly lostNs: Nanoseconds }[];
}

/** Returns null if no file is known to lack. Where it is not known which, others that lack are the reason. */
export function missingFiles(losses: readonly LossKind[]): MissingFiles | null {
  const byFile = new Map<string, Nanoseconds>();
  let lostNs = 0;
  for (const kind of losses) {
    const home = homeOfCode(kind.file);
    if (!lacksCode(kind) || !(home === 'file' || (home === 'unmapped' && kind.cause === 'undecoded'))) continue;
    lostNs += kind.lostNs;
    if (home === 'file' && kind.file !== null) byFile.set(kind.file, (byFile.get(kind.file) ?? 0) + kind.lostNs);
  }
  if (byFile.size === 0 || losses.some(isGenerated)) return null;
  const files = [...byFile].map(([file, lostNs]) => ({ file, lostNs }));
  return { lostNs, files: files.sort((a, b) => b.lostNs - a.lostNs || (a.file < b.file ? -1 : 1)) };
}

/** What helps where files are missing. Text was decoded by perf, elsewhere. */
export function missingFilesRemedy({ recorded, takesBinaries }: RemedyContext): string {
  if (takesBinaries) return DROP;
  return recorded
    ? '--symfs DIR names a folder with the files that ran, --debuginfod fetches those of distributions; ptflame pack takes them along from the machine that recorded'
    : 'decode where they are, or with --symfs DIR';
}

/** perf did not find the code that ran, or found other code. */
function lacksCode({ cause, code }: Cause): boolean {
  return cause === 'undecoded' || code === NO_CODE || code === OTHER_CODE;
}

const NO_CODE = 5;
const OTHER_CODE = 6;

function isGenerated(kind: Cause): boolean {
  return lacksCode(kind) && homeOfCode(kind.file) === 'generated';
}

/** A function that generated code called returns to where nothing is decoded: its code does not match, although it is the right one. */
function remedyForFile(kind: Cause, all: readonly Cause[], context: RemedyContext): string {
  const { cause, code } = kind;
  if (isOtherBuild(kind, all, context))
    return `that file is probably another build (no build id was recorded): ${waysToGive('keep the one that ran', context)}`;
  const mayBeCalled = (code === OTHER_CODE || cause === 'undecoded') && all.some(isGenerated);
  return mayBeCalled
    ? `generated code that is lost called it, or that file is not the one that ran: ${waysToGive('keep it', context)}`
    : `that file is not the one that ran, or is missing; ${waysToGive('keep it', context)}`;
}

const DROP = 'drop on this page the builds that ran';

function waysToGive(keep: string, { takesBinaries }: RemedyPlace): string {
  return takesBinaries ? DROP : `${keep}, or use --symfs`;
}
