/**
 * Writes `triggers.jsonl`: a line for each trigger, with its snapshot or why it has none. docs/recording.md explains it.
 */
import { appendFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

/** A line of `triggers.jsonl`. */
export const TriggerLine = z.object({
  function: z.string(),
  thread: z.number(),
  /** Where it ended, if that is another place; absent: in that function. */
  to: z.string().optional(),
  /** On perf's clock, as the events of the snapshot. */
  startNs: z.number(),
  endNs: z.number(),
  /** The snapshot was ordered at `endNs`, while the call ran; a later line with its thread and start has its end. */
  isRunning: z.literal(true).optional(),
  /** It did not return: an exception or a jump has left it, maybe before `endNs`. */
  isLeft: z.literal(true).optional(),
  /**
   * From the end of the call until ptflame knew of it, and until it ordered the snapshot; by the fastest of the last minute.
   * Negative: the snapshot was ordered while the call ran.
   */
  seenAfterNs: z.number(),
  /** Until perf had written the snapshot; null: there is none. */
  writtenAfterNs: z.number().nullable(),
  file: z.string().nullable(),
  /** The snapshot before, in which the call begins; null: it is all in its own. */
  before: z.string().nullable(),
  /** Why there is no snapshot. */
  why: z.enum(['faster', 'too soon', 'busy', 'not written']).nullable(),
});
export type TriggerLine = z.infer<typeof TriggerLine>;

/** perf's name of the recording that goes on; snapshots get a time behind it. */
export const CURRENT = 'snap';
export const TRIGGERS_FILE = 'triggers.jsonl';
/** About 5 MB. */
const MAX_LINES = 20_000;

/** Bounded: when it has twice `maxLines`, the older half goes, but for lines of snapshots that are kept. */
export class TriggerLog {
  readonly #path: string;
  readonly #maxLines: number;
  #lines: TriggerLine[] = [];
  dropped = 0;

  constructor(directory: string, maxLines = MAX_LINES) {
    this.#path = join(directory, TRIGGERS_FILE);
    this.#maxLines = maxLines;
    writeFileSync(this.#path, '', { mode: 0o600 });
  }

  /** `kept`: files of snapshots. */
  add(line: TriggerLine, kept: ReadonlySet<string>): void {
    this.#lines.push(line);
    if (this.#lines.length < 2 * this.#maxLines) return appendFileSync(this.#path, textOf(line));
    const oldest = this.#lines.length - this.#maxLines;
    const remaining = this.#lines.filter(({ file }, at) => at >= oldest || (file !== null && kept.has(file)));
    this.dropped += this.#lines.length - remaining.length;
    this.#lines = remaining;
    writeFileSync(`${this.#path}.new`, remaining.map(textOf).join(''), { mode: 0o600 });
    renameSync(`${this.#path}.new`, this.#path);
  }

  remove(): void {
    rmSync(this.#path, { force: true });
  }
}

function textOf(line: TriggerLine): string {
  return `${JSON.stringify(line)}\n`;
}
