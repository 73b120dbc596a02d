/**
 * Shows a running recording as a status line: elapsed time, size, and what Ctrl-C does.
 */
import { statSync } from 'node:fs';
import { formatBytes, formatDuration } from '../../src/render/format.js';
import { clock } from './progress-line.js';
import { type StatusLine, startStatusLine } from './status-line.js';

export interface RecordingState {
  /** null: until Ctrl-C or until the target exits. */
  readonly timeMs: number | null;
  readonly elapsedMs: number;
  /** Written so far. */
  readonly bytes: number;
  /** perf was asked to stop and is writing the rest of its buffers. */
  readonly isEnding: boolean;
}

/** "3 s of 10 s recorded, 120.0 MB written; Ctrl-C stops and keeps it". */
export function recordingText({ timeMs, elapsedMs, bytes, isEnding }: RecordingState): string {
  const written = bytes === 0 ? '' : `, ${formatBytes(bytes)} written`;
  if (isEnding) return `perf is writing the rest${written}; Ctrl-C discards it`;
  const elapsed = clock(Math.floor(elapsedMs / 1000));
  const time = timeMs === null ? elapsed : `${elapsed} of ${totalText(timeMs)}`;
  return `${time} recorded${written}; Ctrl-C stops and keeps it`;
}

const MINUTE_MS = 60_000;

/** "2.5 s": in the precision that was requested. */
function totalText(timeMs: number): string {
  return timeMs < MINUTE_MS ? formatDuration(timeMs * 1e6) : clock(timeMs / 1000);
}

export interface RecordingDisplayOptions {
  /** Where perf writes. */
  readonly path: string;
  readonly timeMs: number | null;
  readonly isQuiet: boolean;
}

/** The status line of a running recording; notifications are printed above it. */
export class RecordingDisplay {
  readonly #options: RecordingDisplayOptions;
  readonly #notify: (text: string) => void;
  #line: StatusLine | null = null;
  #isEnding = false;

  constructor(options: RecordingDisplayOptions, notify: (text: string) => void) {
    this.#options = options;
    this.#notify = notify;
  }

  readonly notify = (text: string): void => {
    if (this.#line === null) this.#notify(text);
    else this.#line.printAbove(() => this.#notify(text));
  };

  /** Called when perf starts recording. */
  began(): void {
    const { path, timeMs, isQuiet } = this.#options;
    const beganMs = performance.now();
    this.#line = startStatusLine(isQuiet, (width) => {
      const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
      const elapsedMs = performance.now() - beganMs;
      return recordingText({ timeMs, elapsedMs, bytes, isEnding: this.#isEnding }).slice(0, width);
    });
  }

  /** Called when perf was asked to stop. */
  ending(): void {
    this.#isEnding = true;
  }

  stop(): void {
    this.#line?.stop();
  }
}
