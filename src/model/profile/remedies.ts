/**
 * Remedies for what a trace lacks, in the same words for terminal, pictures and files.
 */
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
    losses: quality.losses.map((kind) => ({ ...kind, remedy: remedyOf(kind) })),
    remedies: {
      hiddenJumps: hiddenJumpsRemedy(quality, meta),
      switches: meta.hasSwitches === false ? switchesRemedy(meta) : null,
    },
  };
}

/** Returns the remedy for a cause of loss; null: none is known. */
export function remedyOf({ cause, code, file }: Pick<LossKind, 'cause' | 'code' | 'file'>): string | null {
  if (cause === 'undecoded' && file === null) return 'keep all binaries that ran, or use --symfs';
  if (cause === 'undecoded' || code === 5 || code === 6) return remedyForCode(file);
  return REMEDIES[code ?? 0] ?? null;
}

/** perf's names for memory without a file, and for the kernel's memory. */
const IS_MADE_AT_RUN_TIME = /^(?:\/\/anon|\/anon_hugepage|\/dev\/zero|\/memfd:|\[heap|\[stack)/;
const IS_KERNEL = /^\[(?:guest\.)?kernel/;

/** perf did not find the code that ran, or found other code. */
function remedyForCode(file: string | null): string {
  if (file === null) return 'perf script --show-mmap-events shows the file';
  if (IS_MADE_AT_RUN_TIME.test(file))
    return 'that code was generated at run time: a jitdump can keep it (docs/decoder.md)';
  if (IS_KERNEL.test(file)) return "perf record --kcore keeps the kernel's code";
  return 'that file is not the one that ran, or is missing; keep it, or use --symfs';
}
