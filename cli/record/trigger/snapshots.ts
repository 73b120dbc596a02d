/**
 * Orders snapshots from the perf that overwrites its buffer, and keeps those of the slowest calls with a log of all triggers.
 */
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { systemReason } from '../../../src/model/errors.js';
import { formatDuration } from '../../../src/render/format.js';
import { isWholeRecording } from '../recording-file.js';
import type { Call } from './calls.js';
import { CURRENT, type TriggerLine, TriggerLog } from './log.js';
import { durationOf, Policy, type PolicyOptions } from './policy.js';

/** perf writes a snapshot in a tenth of a second, and more slowly to a slow disk. */
const WRITE_MS = 30_000;
/** Switches and such, which perf writes while it overwrites the trace. */
const MAX_GROWN_BYTES = 64 * 1024 * 1024;
const DRIFT_NS = 60e9;
const DUMPED = /\[ perf record: Dump (.+?) \]/g;

export interface SnapshotsInput extends PolicyOptions {
  /** The name of the function, for the log. */
  readonly function: string;
  /** Of the place that ends it, if it is another. */
  readonly to?: string;
  readonly directory: string;
  /** Makes perf dump its buffer; false: it has ended. */
  readonly order: () => boolean;
  readonly notify: (text: string) => void;
}

export class Snapshots {
  /** Of events on perf's clock. */
  readonly delays = new Delays();
  triggers = 0;
  readonly #input: SnapshotsInput;
  readonly #policy: Policy;
  readonly #log: TriggerLog;
  /** The call whose snapshot is in flight. */
  #ordered: Ordered | null = null;
  /** Snapshots that were ordered while their calls ran, and are written, by the threads. */
  readonly #early = new Map<number, Written>();
  #onWritten: () => void = () => {};
  #messages = '';
  #files = 0;
  /** A dump that nobody ordered: perf's last. */
  #spare: string | null = null;

  constructor(input: SnapshotsInput) {
    this.#input = input;
    this.#policy = new Policy(input);
    this.#log = new TriggerLog(input.directory);
  }

  /** Paths, the slowest call's first. */
  get kept(): readonly string[] {
    return this.#policy.kept.map(({ file }) => join(this.#input.directory, file));
  }

  /** A call was slow enough; `nowNs`: on our clock. */
  onTrigger(call: Call, nowNs: number): void {
    this.triggers++;
    const seenAfterNs = this.delays.since(call.endNs, nowNs);
    const refusal = this.#policy.onTrigger(call);
    if (refusal !== null) return this.#addLine(call, { seenAfterNs, why: refusal });
    this.#ordered = { call, seenAfterNs, isRunning: false };
    this.#order();
  }

  /** A call that still runs is slow: orders its snapshot now. Returns false if it gets none before it ends. */
  onRunning(call: Call): boolean {
    if (this.#policy.onTrigger(call) !== null) return false;
    this.triggers++;
    this.#ordered = { call, seenAfterNs: 0, isRunning: true };
    this.#order();
    return true;
  }

  /** A call has ended for which `onRunning` has ordered a snapshot. */
  onEnded(call: Call): void {
    this.#policy.onEnded(call);
    const ordered = this.#ordered;
    if (ordered?.isRunning && ordered.call.tid === call.tid && ordered.call.startNs === call.startNs)
      this.#ordered = { call, seenAfterNs: ordered.call.endNs - call.endNs, isRunning: false };
    const early = this.#early.get(call.tid);
    if (early === undefined || early.startNs !== call.startNs) return;
    this.#early.delete(call.tid);
    const sinceNs = early.endNs - call.endNs;
    this.#addLine(call, { ...early.outcome, seenAfterNs: sinceNs, writtenAfterNs: early.writtenAfterNs + sinceNs });
  }

  /** A call for which `onRunning` may have ordered a snapshot does not run any more, and never returned. */
  onLeft(tid: number, startNs: number): void {
    const early = this.#early.get(tid);
    if (early === undefined || early.startNs !== startNs) return;
    this.#early.delete(tid);
    const { endNs, writtenAfterNs, outcome } = early;
    const left = { isRunning: true, isLeft: true } as const;
    this.#addLine({ tid, startNs, endNs }, { ...outcome, seenAfterNs: 0, writtenAfterNs, ...left });
  }

  /** Calls of which no snapshot would be kept last no longer. */
  get leastNs(): number {
    return this.#policy.leastNs;
  }

  /** perf printed something; it may be the name of a dump. */
  onMessage(text: string): void {
    this.#messages = (this.#messages + text).slice(-4096);
    let read = 0;
    for (const match of this.#messages.matchAll(DUMPED)) {
      read = match.index + match[0].length;
      this.#onDump(basename(match[1] as string));
    }
    this.#messages = this.#messages.slice(read);
  }

  /** Keeps the file that perf writes between snapshots small. */
  checkGrowth(): void {
    const path = join(this.#input.directory, CURRENT);
    const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (bytes > MAX_GROWN_BYTES && this.#policy.onGrown()) this.#order();
  }

  /** Resolves when no snapshot is in flight. */
  async written(): Promise<void> {
    if (!this.#policy.isBusy) return;
    await new Promise<void>((done) => {
      this.#onWritten = done;
    });
  }

  /** perf has ended: its last dump has what was still wanted. */
  end(): void {
    if (!this.#policy.isBusy) return;
    const spare = this.#spare;
    this.#spare = null;
    if (spare === null) this.#onFailed();
    else this.#take(spare);
  }

  /** Removes what perf wrote and nobody wants. */
  removeRest(): void {
    this.#remove(this.#spare);
    this.#remove(this.#policy.unneededAtEnd());
    const { directory } = this.#input;
    for (const name of existsSync(directory) ? readdirSync(directory) : [])
      if (name === CURRENT || name.startsWith(`${CURRENT}.`)) this.#remove(name);
    if (this.triggers === 0) this.#log.remove();
  }

  #order(): void {
    if (!this.#input.order()) return this.end();
    const ordered = this.#files;
    const late = setTimeout(() => {
      if (this.#files === ordered) this.#onFailed();
    }, WRITE_MS);
    late.unref();
  }

  #onDump(name: string): void {
    const { directory } = this.#input;
    const file = `${String(++this.#files).padStart(4, '0')}.data`;
    try {
      renameSync(join(directory, name), join(directory, file));
      if (!isWholeRecording(join(directory, file))) throw new Error('the disk is full');
    } catch {
      this.#remove(file);
      return this.#onFailed(); // or somebody has removed it
    }
    if (this.#policy.isBusy) return this.#take(file);
    this.#remove(this.#spare);
    this.#spare = file;
  }

  #take(file: string): void {
    const ordered = this.#ordered;
    this.#ordered = null;
    const nowNs = performance.now() * 1e6;
    const { directory, notify } = this.#input;
    const bytes = statSync(join(directory, file), { throwIfNoEntry: false })?.size ?? 0;
    const { kept, unneeded } = this.#policy.onWritten(file, this.delays.onPerfClock(nowNs), bytes);
    if (ordered !== null && kept !== null) {
      const { call, seenAfterNs, isRunning } = ordered;
      const outcome = { file, before: kept.before };
      const writtenAfterNs = this.delays.since(call.endNs, nowNs);
      if (isRunning) this.#early.set(call.tid, { startNs: call.startNs, endNs: call.endNs, writtenAfterNs, outcome });
      this.#addLine(call, { ...outcome, seenAfterNs, writtenAfterNs, ...(isRunning && { isRunning }) });
      const runs = isRunning ? ', and still running,' : '';
      notify(`${formatDuration(durationOf(call))}${runs} in thread ${call.tid}: ${join(directory, file)}`);
    }
    for (const each of unneeded) this.#remove(each);
    this.#onWritten();
  }

  #onFailed(): void {
    const ordered = this.#ordered;
    this.#ordered = null;
    this.#policy.onFailed();
    if (ordered !== null) this.#addLine(ordered.call, { seenAfterNs: ordered.seenAfterNs, why: 'not written' });
    this.#onWritten();
  }

  #addLine({ tid, startNs, endNs }: Call, outcome: Outcome): void {
    const { function: name, to } = this.#input;
    const none = { writtenAfterNs: null, file: null, before: null, why: null };
    const line = {
      function: name,
      ...(to && { to }),
      thread: tid,
      startNs,
      endNs,
      ...none,
      ...outcome,
    };
    try {
      this.#log.add(line, new Set(this.#policy.kept.map(({ file }) => file)));
    } catch (error) {
      this.#input.notify(`warning: cannot write triggers.jsonl: ${systemReason(error)}`);
    }
  }

  #remove(file: string | null): void {
    if (file !== null) rmSync(join(this.#input.directory, file), { force: true });
  }
}

type Outcome = Pick<TriggerLine, 'seenAfterNs'> &
  Partial<Pick<TriggerLine, 'file' | 'before' | 'writtenAfterNs' | 'why' | 'isRunning' | 'isLeft'>>;

interface Ordered {
  readonly call: Call;
  readonly seenAfterNs: number;
  /** It still runs. */
  readonly isRunning: boolean;
}

interface Written {
  readonly startNs: number;
  /** When it was ordered. */
  readonly endNs: number;
  readonly writtenAfterNs: number;
  readonly outcome: Pick<TriggerLine, 'file' | 'before'>;
}

/**
 * Tells how late ptflame learns of events: perf's clock has an origin of its own, so the event that arrived fastest counts as
 * seen at once. Clocks drift apart by milliseconds a minute, so only the last minute or two count.
 */
export class Delays {
  #startNs = Number.NEGATIVE_INFINITY;
  #least = Number.POSITIVE_INFINITY;
  /** Of the window before. */
  #leastBefore = Number.POSITIVE_INFINITY;

  /** An event happened at `timeNs` on perf's clock and is known at `nowNs` on ours. */
  add(timeNs: number, nowNs: number): void {
    if (nowNs - this.#startNs >= DRIFT_NS) {
      this.#startNs = nowNs;
      this.#leastBefore = this.#least;
      this.#least = Number.POSITIVE_INFINITY;
    }
    this.#least = Math.min(this.#least, nowNs - timeNs);
  }

  /** Returns how long after an event `nowNs` is. */
  since(timeNs: number, nowNs: number): number {
    return Math.round(this.onPerfClock(nowNs) - timeNs);
  }

  /** Returns the time on perf's clock. */
  onPerfClock(nowNs: number): number {
    return nowNs - Math.min(this.#least, this.#leastBefore);
  }
}
