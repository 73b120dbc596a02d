/**
 * How far the work is, on a terminal's standard error only.
 */
import type { Progress } from '../../src/index.js';
import { formatBytes, formatCount } from '../../src/text.js';
import { showCursorAtExit } from './cursor.js';

export interface ProgressDisplay {
  show(progress: Progress): void;
  /** Clears the line. */
  stop(): void;
}

const NOTHING: ProgressDisplay = { show() {}, stop() {} };

/** `totalBytes`: null if it is not known, as of a pipe. */
export async function startProgress(quiet: boolean, totalBytes: number | null): Promise<ProgressDisplay> {
  if (quiet || !process.stderr.isTTY) return NOTHING;
  const { default: cliProgress } = await import('cli-progress');
  const format = '{phase} {bar} {percentage} % | {done} | {rate} | {eta_formatted} left';
  const options = {
    format,
    stream: process.stderr,
    clearOnComplete: true,
    hideCursor: true,
    gracefulExit: true,
    fps: 10,
  };
  const bar = new cliProgress.SingleBar(options, cliProgress.Presets.shades_classic);
  const startMs = performance.now();
  const cursorIsBack = showCursorAtExit();
  bar.start(totalBytes ?? 0, 0, { phase: 'reading', done: '', rate: '' });
  return {
    show(progress) {
      if (progress.phase !== 'read') {
        bar.setTotal(progress.ofThreads);
        const phase = progress.phase === 'replay' ? 'replaying' : 'writing';
        bar.update(progress.threads, { phase, done: `${progress.threads} threads`, rate: '' });
        return;
      }
      const rate = (progress.bytes * 1000) / Math.max(performance.now() - startMs, 1);
      if (totalBytes === null) bar.setTotal(progress.bytes);
      const lines = (progress.lines * 1000) / Math.max(performance.now() - startMs, 1);
      const rates = `${formatBytes(rate)}/s, ${formatCount(Math.round(lines))} lines/s`;
      bar.update(progress.bytes, { done: formatBytes(progress.bytes), rate: rates });
    },
    stop() {
      bar.stop();
      cursorIsBack();
    },
  };
}
