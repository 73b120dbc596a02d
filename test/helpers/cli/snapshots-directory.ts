/**
 * Writes a directory as `record --trigger` does.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TriggerLine } from '../../../cli/record/trigger/log.js';

/** A snapshot: any input of ptflame, and the call that it was taken of. */
export interface WrittenSnapshot extends Partial<TriggerLine> {
  readonly text: string | Uint8Array;
}

/** Snapshots are 0001.data and so on. */
export function writeSnapshots(directory: string, snapshots: readonly WrittenSnapshot[]): void {
  mkdirSync(directory);
  const lines = snapshots.map(({ text, ...given }, row): TriggerLine => {
    const file = `${String(row + 1).padStart(4, '0')}.data`;
    writeFileSync(join(directory, file), text);
    const times = { startNs: 1e9 * row, endNs: 1e9 * row + row + 1, seenAfterNs: 0, writtenAfterNs: 0 };
    return { function: 'work', thread: 101, ...times, file, before: null, why: null, ...given };
  });
  writeFileSync(join(directory, 'triggers.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}
