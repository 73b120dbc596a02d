/**
 * Reads the directory that `record --trigger FUNCTION` writes: the snapshots of slow calls, and the log of its triggers.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { PtflameError } from '../../src/model/errors.js';
import type { TriggeringCall } from '../../src/page/contents/page-trigger.js';
import { formatDuration } from '../../src/render/format.js';
import { shellWords } from '../../src/render/visible-text.js';
import { CURRENT, TRIGGERS_FILE, TriggerLine } from '../record/trigger/log.js';

export type Snapshot = TriggerLine & { readonly file: string };

export interface Captures {
  /** Triggers in the log, each by its last line; lines that are none are left out. */
  readonly triggers: readonly TriggerLine[];
  /** Of those whose file exists; the slowest call first. */
  readonly snapshots: readonly Snapshot[];
  /** Files that perf writes between snapshots: while it records, or after ptflame was killed. */
  readonly unfinished: readonly string[];
}

/** Returns null for anything but such a directory. */
export function readCaptures(path: string): Captures | null {
  const log = join(path, TRIGGERS_FILE);
  if (!existsSync(log)) return null;
  const lines = readFileSync(log, 'utf8').split('\n').flatMap(parsed);
  const triggers = [...new Map(lines.map((line) => [`${line.thread} ${line.startNs}`, line])).values()];
  const isThere = (line: TriggerLine): line is Snapshot =>
    line.file !== null && /^\d+\.data$/.test(line.file) && existsSync(join(path, line.file));
  const snapshots = triggers.filter(isThere).sort((a, b) => durationOf(b) - durationOf(a));
  const unfinished = readdirSync(path).filter((name) => name === CURRENT || name.startsWith(`${CURRENT}.`));
  return { triggers, snapshots, unfinished: unfinished.sort() };
}

function parsed(text: string): TriggerLine[] {
  try {
    return [TriggerLine.parse(JSON.parse(text))];
  } catch {
    return []; // the last line of a ptflame that was killed
  }
}

const durationOf = ({ startNs, endNs }: TriggerLine) => endNs - startNs;

/** "30 ms in thread 6 from 45410.928608024; seen 0.2 ms after its end". */
export function describeCall(snapshot: Snapshot): string {
  const { startNs, thread, seenAfterNs, isRunning, isLeft } = snapshot;
  const seen = isRunning
    ? `snapshot while it ran; ${isLeft ? 'an exception left it, maybe before that' : 'its end is not known'}`
    : seenAfterNs < 0
      ? `snapshot ${formatDuration(-seenAfterNs)} before its end`
      : `seen ${formatDuration(seenAfterNs)} after its end`;
  const start = `${Math.floor(startNs / 1e9)}.${String(Math.floor(startNs % 1e9)).padStart(9, '0')}`;
  return `${formatDuration(durationOf(snapshot))} in thread ${thread} from ${start}; ${seen}`;
}

/**
 * Returns the snapshots of a directory, the slowest call's first, for questions about all of them; null if the only input is no
 * directory with several.
 *
 * @throws PtflameError BAD_OPTION for such a directory among other inputs
 */
export function snapshotsOf(inputs: readonly string[]): string[] | null {
  const directory = inputs.find((path) => (readCaptures(path)?.snapshots.length ?? 0) > 1);
  if (directory === undefined) return null;
  if (inputs.length > 1)
    throw new PtflameError('BAD_OPTION', `${directory} has several recordings, which are joined alone`, {
      hint: 'leave out the other inputs, or pass one of its snapshots',
    });
  return readCaptures(directory)?.snapshots.map(({ file }) => join(directory, file)) ?? null;
}

/** Returns the call that the only input is a snapshot of; null: it is none. */
export function triggerOf(inputs: readonly string[]): TriggeringCall | null {
  const [path = '-'] = inputs;
  if (inputs.length !== 1 || path === '-') return null;
  const found = readCaptures(path)?.snapshots[0] ?? snapshotAt(path);
  if (found === undefined) return null;
  const { function: name, to, thread: tid, startNs, endNs, isRunning = false, seenAfterNs: orderedAfterNs } = found;
  return { name: to === undefined ? name : `${name}..${to}`, tid, startNs, endNs, isRunning, orderedAfterNs };
}

function snapshotAt(path: string): Snapshot | undefined {
  return readCaptures(dirname(path))?.snapshots.find(({ file }) => file === basename(path));
}

/** The slowest call's snapshot in place of a directory of them, which `notify` says; other paths stay as they are. @throws PtflameError INPUT_KIND */
export function slowestSnapshot(path: string, notify: (text: string) => void): string {
  const captures = readCaptures(path);
  if (captures === null) return path;
  const [slowest] = captures.snapshots;
  if (slowest === undefined)
    throw new PtflameError(
      'INPUT_KIND',
      `${path} has no snapshots, only the log of ${captures.triggers.length} triggers`,
      {
        hint: `read it: ${shellWords(['less', join(path, TRIGGERS_FILE)])}`,
      },
    );
  const file = join(path, slowest.file);
  notify(
    `${file}: the slowest ${slowest.to === undefined ? `call of ${slowest.function}` : `way from ${slowest.function} to ${slowest.to}`}, ${describeCall(slowest)}`,
  );
  return file;
}
