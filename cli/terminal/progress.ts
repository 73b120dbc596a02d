/**
 * Shows the progress of reading, replaying and writing as a status line.
 */
import type { Progress } from '../../src/pipeline/read/trace-builder.js';
import { progressLine, type Stage } from './progress-line.js';
import { startStatusLine } from './status-line.js';

export interface ProgressDisplay {
  show(progress: Progress): void;
  /** Clears the line. */
  stop(): void;
}

const STAGES = { read: 'reading', replay: 'replaying', write: 'writing' } as const;

/** `totalBytes`: null if unknown, as for a pipe. */
export function startProgress(quiet: boolean, totalBytes: number | null): ProgressDisplay {
  let progress: Progress = { phase: 'read', bytes: 0, lines: 0 };
  let beganMs = performance.now();
  const line = startStatusLine(quiet, (width) => {
    return progressLine(stageOf(progress, totalBytes, performance.now() - beganMs), width);
  });
  return {
    show(now) {
      if (now.phase !== progress.phase) beganMs = performance.now();
      progress = now;
    },
    stop: () => line.stop(),
  };
}

function stageOf(progress: Progress, totalBytes: number | null, elapsedMs: number): Stage {
  const name = STAGES[progress.phase];
  if (progress.phase === 'read')
    return { name, done: progress.bytes, total: totalBytes, unit: 'bytes', lines: progress.lines, elapsedMs };
  const { threads: done, ofThreads: total } = progress;
  const share = progress.phase === 'replay' ? progress.share : undefined;
  return { name, done, total, share, unit: 'threads', lines: 0, elapsedMs };
}
