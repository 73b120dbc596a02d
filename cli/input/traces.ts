/**
 * Reads opened inputs into a profile, as a command's options ask, and shows progress.
 */

import { PtflameError } from '../../src/model/errors.js';
import type { Profile } from '../../src/model/profile/profile.js';
import type { Selection } from '../../src/model/trace/trace-chunk.js';
import type { AskForRequests, PageContents } from '../../src/page/contents/analyze-for-page.js';
import { type AnalyzeOptions, analyzeOverTime } from '../../src/pipeline/analyze.js';
import { detectInputKind, type InputKind, type OpenedInput } from '../../src/pipeline/open-text.js';
import { readProfile } from '../../src/pipeline/profile/read-profile.js';
import type { Progress } from '../../src/pipeline/read/trace-builder.js';
import { planResources, type ResourceOptions } from '../../src/pipeline/workers/resources.js';
import type { selection, TraceOptions } from '../options/shared.js';
import { notify } from '../terminal/notify.js';
import { startProgress } from '../terminal/progress.js';
import { kebabCase } from '../usage/flag.js';
import { lackingByLoss } from './lacking-files.js';
import { type CommandInput, totalSize } from './open-inputs.js';

type SelectionFlags = Pick<TraceOptions, keyof ReturnType<typeof selection>>;
type FilterFlags = Pick<TraceOptions, 'window' | 'root' | 'inside' | 'foldRecursion'>;

/** The flags that all commands on traces share. */
export interface TraceFlags
  extends SelectionFlags,
    Pick<TraceOptions, 'tailCalls' | 'fibers' | 'scheduler' | 'noExtend' | 'jobs' | 'memory' | 'tempDir'>,
    FilterFlags {
  readonly byCalls?: boolean;
  readonly srcline?: boolean;
  /** Of `render`: the directory of source files. */
  readonly source?: string | undefined;
  readonly inline?: boolean;
  readonly symfs?: string | null | undefined;
  readonly quiet: boolean;
}

/** Reads a single profile file as it is; all other inputs are read as one trace. */
export async function loadProfile(
  inputs: readonly CommandInput[],
  flags: TraceFlags,
  wanted: Pick<AnalyzeOptions, 'trees' | 'durations' | 'callRows'>,
  signal: AbortSignal,
): Promise<Profile> {
  return (await loadOverTime(inputs, flags, wanted, signal)).profile;
}

/** Like `loadProfile`, with the timeline if it is wanted. */
async function loadOverTime(
  inputs: readonly CommandInput[],
  flags: TraceFlags,
  wanted: Pick<AnalyzeOptions, 'trees' | 'durations' | 'callRows' | 'timelineBytes'>,
  signal: AbortSignal,
): Promise<Pick<PageContents, 'profile' | 'timeline'>> {
  return load(inputs, flags, signal, async (traces, options) => {
    const { profile, timeline } = await analyzeOverTime(traces, { ...options, ...wanted });
    return { profile, waits: null, timeline, longestCalls: null };
  });
}

/**
 * Like `loadProfile`, and what outputs over time show besides.
 *
 * @throws PtflameError also INPUT_KIND, if single calls or requests are wanted of a profile
 */
export async function loadPageContents(
  inputs: readonly CommandInput[],
  flags: TraceFlags,
  wanted: Pick<AnalyzeOptions, 'trees' | 'durations' | 'timelineBytes' | 'onChunks' | 'longestCalls'>,
  signal: AbortSignal,
  askForRequests: AskForRequests | null = null,
): Promise<PageContents> {
  const readable = wanted.longestCalls || askForRequests ? await requireTraces(inputs) : inputs;
  return load(readable, flags, signal, async (traces, options) => {
    const { analyzeForPage } = await import('../../src/page/contents/analyze-for-page.js');
    return analyzeForPage(traces, { ...options, ...wanted }, askForRequests);
  });
}

async function load(
  inputs: readonly CommandInput[],
  flags: TraceFlags,
  signal: AbortSignal,
  analyzeTraces: (traces: readonly CommandInput[], options: AnalyzeOptions) => Promise<PageContents>,
): Promise<PageContents> {
  const text = await soleTextInput(inputs);
  if (text?.kind === 'profile') {
    refuseTraceOptions(text.name, flags);
    return {
      profile: await readProfile(text, { select: toSelection(flags), signal }),
      waits: null,
      timeline: null,
      longestCalls: null,
    };
  }
  const traces = text ? [text] : inputs;
  return withProgress(traces, flags, signal, (options) => analyzeTraces(traces, options));
}

/** Like `loadProfile`, for commands that show times. @throws PtflameError also TIMELESS */
export async function loadTimedProfile(...args: Parameters<typeof loadProfile>): Promise<Profile> {
  return (await loadTimed(...args)).profile;
}

/** Like `loadTimedProfile`, with the timeline if it is wanted. */
export async function loadTimed(...args: Parameters<typeof loadOverTime>): ReturnType<typeof loadOverTime> {
  const loaded = await loadOverTime(...args);
  refuseTimeless(loaded.profile);
  return loaded;
}

/**
 * @throws PtflameError INPUT_KIND if the input is a profile, which has no individual calls; as `readProfile`, if it only begins
 *   like one
 */
export async function requireTraces(inputs: readonly CommandInput[]): Promise<CommandInput[]> {
  const text = await soleTextInput(inputs);
  if (text?.kind === 'profile') {
    await readProfile(text);
    refuseProfile(text.name);
  }
  return text ? [text] : [...inputs];
}

/** Returns the only input and its kind if it is text; only such an input may be a profile. */
export async function soleTextInput(
  inputs: readonly CommandInput[],
): Promise<(OpenedInput & { readonly kind: InputKind }) | null> {
  const [only, ...others] = inputs;
  if (only === undefined || others.length > 0 || !('bytes' in only)) return null;
  return detectInputKind(only);
}

/** Runs `work` on traces and shows progress. */
export async function withProgress<Result extends object>(
  inputs: readonly CommandInput[],
  flags: TraceFlags,
  signal: AbortSignal,
  work: (options: AnalyzeOptions) => Promise<Result>,
): Promise<Result> {
  const progress = startProgress(flags.quiet, totalSize(inputs));
  const { tailCalls, fibers, scheduler, noExtend, byCalls = false } = flags;
  try {
    const debugInfo = await loadDebugInfo(inputs, flags);
    const result = await work({
      ...debugInfo?.finders,
      select: toSelection(flags),
      ...toFilters(flags),
      tailCalls,
      fibers,
      scheduler,
      extend: !noExtend,
      byCalls,
      ...toResources(flags),
      signal,
      onProgress: (at: Progress) => progress.show(at),
    });
    progress.stop();
    if (flags.quiet) return result;
    for (const line of lackingByLoss(inputs, lossesOf(result))) notify(line);
    for (const note of debugInfo?.notes() ?? []) notify(`note: ${note}`);
    return result;
  } finally {
    progress.stop();
  }
}

/** Returns null for a result without a profile: the answer does not tell what was lost. */
function lossesOf(result: { readonly profile?: Profile | null }): Profile['quality']['losses'] | null {
  return result.profile?.quality.losses ?? null;
}

/** What is asked of the debug information; null: nothing, as most commands. */
async function loadDebugInfo(
  inputs: readonly CommandInput[],
  flags: TraceFlags,
): Promise<{
  readonly finders: Pick<AnalyzeOptions, 'sourceLines' | 'codeLines' | 'inlined'>;
  readonly notes: () => string[];
} | null> {
  const { inline, source, symfs = null } = flags;
  const srcline = flags.srcline || source !== undefined;
  if (!srcline && !inline) return null;
  const { debugInfoOf } = await import('./debug-info.js');
  const { memoryBytes } = planResources(toResources(flags));
  const { sourceLines, codeLines, inlined, notes } = await debugInfoOf(inputs, symfs, memoryBytes);
  const finders = {
    ...(srcline && { sourceLines }),
    ...(source !== undefined && { codeLines }),
    ...(inline && { inlined }),
  };
  return { finders, notes };
}

function toFilters({ window, root, inside, foldRecursion }: FilterFlags): Partial<AnalyzeOptions> {
  return { ...(window && { window }), ...(root !== undefined && { root }), ...(inside && { inside }), foldRecursion };
}

export function toResources({
  jobs,
  memory,
  tempDir,
}: Pick<TraceOptions, 'jobs' | 'memory' | 'tempDir'>): ResourceOptions {
  return {
    ...(jobs !== undefined && { jobs }),
    ...(memory !== undefined && { memoryBytes: memory }),
    ...(tempDir !== undefined && { temporaryDirectory: tempDir }),
  };
}

export function toSelection({ tid, pid, cpu, comm, excludeComm }: SelectionFlags): Selection {
  return {
    ...{ ...(tid && { tids: tid }), ...(pid && { pids: pid }), ...(cpu && { cpus: cpu }) },
    ...{ ...(comm && { comm }), ...(excludeComm && { excludeComm }) },
  };
}

/** Options that mean something for a profile, too. */
type ProfileOption =
  | 'tid'
  | 'pid'
  | 'comm'
  | 'excludeComm'
  | 'jobs'
  | 'memory'
  | 'tempDir'
  | 'srcline'
  | 'source'
  | 'symfs'
  | 'quiet';

/** All others need the single calls of a trace; and what they are if they are not given. */
const TRACE_OPTIONS: { readonly [Option in Exclude<keyof TraceFlags, ProfileOption>]: TraceFlags[Option] | undefined } =
  {
    tailCalls: 'nest',
    fibers: 'root',
    scheduler: 'hide',
    noExtend: false,
    byCalls: false,
    inline: false,
    cpu: undefined,
    window: undefined,
    root: undefined,
    inside: undefined,
    foldRecursion: false,
  };

/** @throws PtflameError BAD_OPTION for the first option that needs a trace */
function refuseTraceOptions(profile: string, flags: TraceFlags): void {
  const usual = Object.entries(TRACE_OPTIONS);
  const given = usual.find(([name, value]) => (flags[name as keyof TraceFlags] ?? value) !== value);
  if (given === undefined) return;
  const flag = `--${kebabCase(given[0])}`;
  throw new PtflameError('BAD_OPTION', `${flag} cannot be used with ${profile}, which is a profile`, {
    hint: `omit ${flag}, or pass the trace itself`,
  });
}

/** For commands that need the individual calls. @throws PtflameError INPUT_KIND */
function refuseProfile(name: string): never {
  throw new PtflameError('INPUT_KIND', `${name} is a profile, which has only sums, not the individual calls`, {
    hint: 'pass the trace itself; ptflame import makes it fast to read',
  });
}

/** For commands that show times; reading already rejects traces without times. @throws PtflameError TIMELESS */
function refuseTimeless({ meta }: Profile): void {
  if (meta.weight !== 'calls') return;
  throw new PtflameError('TIMELESS', 'the profile has no times, only calls', {
    hint: 'ptflame render shows its calls; for times, record with tsc=1 and decode without the Z of --itrace',
  });
}
