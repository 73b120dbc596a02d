/**
 * What helps against what a trace does not tell: one wording for terminal, pictures and files.
 */
import type { TraceMeta } from './profile.js';
import type { LossKind, Quality } from './quality.js';

/** Above this share of lost or inferred time a picture is not to be believed without a second look. */
export const WARNING_SHARE = 0.05;

/** What shows hidden jumps; null: too little time is in doubt because of them. */
export function hiddenJumpsRemedy(
  { hiddenNs, totalNs }: Pick<Quality, 'hiddenNs' | 'totalNs'>,
  { recorded }: Pick<TraceMeta, 'recorded'>,
): string | null {
  if (hiddenNs <= WARNING_SHARE * totalNs) return null;
  return `${recorded ? '--precise' : '--itrace=be'} shows them`;
}

/** What tells how long threads had a processor: without it, traced time is but a lower bound. */
export function switchesRemedy({ recorded }: Pick<TraceMeta, 'recorded'>): string {
  return recorded ? 'perf record --switch-events tells' : 'perf script --show-switch-events tells';
}

const REMEDIES: Readonly<Record<number, string>> = {
  1: 'fewer decoders at a time',
  2: 'another version of perf may read it',
  3: 'the recording is damaged: record again',
  7: 'record less per processor: no cyc, a filter, or a larger cyc_thresh',
  8: 'a larger buffer: -m ,64M, fewer processors, or a shorter recording',
  10: 'perf config intel-pt.max-loops=… sets how long perf tries',
};

/** A quality with what helps beside what is wrong: as files and answers have it. */
export function withRemedies(quality: Quality, meta: Pick<TraceMeta, 'recorded' | 'hasSwitches'>) {
  return {
    ...quality,
    losses: quality.losses.map((kind) => ({ ...kind, remedy: remedyOf(kind) })),
    remedies: {
      hiddenJumps: hiddenJumpsRemedy(quality, meta),
      switches: meta.hasSwitches === false ? switchesRemedy(meta) : null,
    },
  };
}

/** What helps against a cause of loss; null: nobody knows. */
export function remedyOf({ cause, code, file }: Pick<LossKind, 'cause' | 'code' | 'file'>): string | null {
  if (cause === 'undecoded' && file === null) return 'keep all files that ran, or use --symfs';
  if (cause === 'undecoded' || code === 5 || code === 6) return remedyForCode(file);
  return REMEDIES[code ?? 0] ?? null;
}

/** perf's names for memory that no file is behind, and for the kernel's. */
const IS_MADE_AT_RUN_TIME = /^(?:\/\/anon|\/anon_hugepage|\/dev\/zero|\/memfd:|\[heap|\[stack)/;
const IS_KERNEL = /^\[(?:guest\.)?kernel/;

/** perf did not find the code that ran, or found other code. */
function remedyForCode(file: string | null): string {
  if (file === null) return 'perf script --show-mmap-events tells the file';
  if (IS_MADE_AT_RUN_TIME.test(file)) return 'that code was made while it ran: perf inject --jit may know it';
  if (IS_KERNEL.test(file)) return 'perf record --kcore keeps the code of the kernel';
  return 'that file is not the one that ran, or is missing; keep it, or use --symfs';
}
