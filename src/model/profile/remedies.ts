/**
 * Remedies for what a trace lacks, in the same words for terminal, pictures and files.
 */
import { homeOfCode } from '../names/mapped-files.js';
import type { Nanoseconds } from '../units.js';
import type { TraceMeta } from './profile.js';
import type { LossKind, Quality } from './quality.js';

/** A larger share of lost or inferred time than this is worth a warning. */
export const WARNING_SHARE = 0.05;

/** Returns how to show hidden jumps; null: too little time is inferred because of them. */
export function hiddenJumpsRemedy(
  { hiddenNs, totalNs }: Pick<Quality, 'hiddenNs' | 'totalNs'>,
  { recorded }: Pick<TraceMeta, 'recorded'>,
): string | null {
  if (hiddenNs <= WARNING_SHARE * totalNs) return null;
  return `${recorded ? '--precise' : '--itrace=be'} shows them`;
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
export function withRemedies(quality: Quality, meta: Pick<TraceMeta, 'recorded' | 'hasSwitches'>) {
  return {
    ...quality,
    losses: quality.losses.map((kind) => ({ ...kind, remedy: remedyOf(kind, quality.losses, meta) })),
    remedies: {
      hiddenJumps: hiddenJumpsRemedy(quality, meta),
      switches: meta.hasSwitches === false ? switchesRemedy(meta) : null,
    },
  };
}

/** What helps for code that a JIT compiler generated. It has neither a file nor symbols that could be installed. */
export const GENERATED_REMEDY =
  'code of a JIT compiler: node --perf-prof and other jitdumps keep it; for LuaJIT and PCRE, which write none, nothing does (docs/decoder.md)';

type Cause = Pick<LossKind, 'cause' | 'code' | 'file'>;

/** Returns the remedy for a cause of loss; null: none is known. `all`: the causes of the same profile. */
export function remedyOf(kind: Cause, all: readonly Cause[], { recorded }: Pick<TraceMeta, 'recorded'>): string | null {
  if (!lacksCode(kind)) return REMEDIES[kind.code ?? 0] ?? null;
  switch (homeOfCode(kind.file)) {
    case 'generated':
      return GENERATED_REMEDY;
    case 'kernel':
      return "perf record --kcore keeps the kernel's code";
    case 'file':
      return remedyForFile(kind, all);
    case 'unmapped':
      if (kind.cause === 'undecoded')
        return all.some(isGenerated) ? GENERATED_REMEDY : 'keep all binaries that ran, or use --symfs';
      return recorded
        ? `no mapping was recorded there, most likely ${GENERATED_REMEDY}`
        : 'perf script --show-mmap-events shows the file, unless a JIT compiler generated the code';
  }
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
export function missingFilesRemedy({ recorded }: Pick<TraceMeta, 'recorded'>): string {
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
function remedyForFile({ cause, code }: Cause, all: readonly Cause[]): string {
  const mayBeCalled = (code === OTHER_CODE || cause === 'undecoded') && all.some(isGenerated);
  return mayBeCalled
    ? 'generated code that is lost called it, or that file is not the one that ran: keep it, or use --symfs'
    : 'that file is not the one that ran, or is missing; keep it, or use --symfs';
}
