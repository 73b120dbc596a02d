/**
 * Captures slow calls: runs a perf that overwrites its buffer and one that watches a function, orders a snapshot when a call was
 * slow, and keeps those of the slowest.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { PtflameError } from '../../../src/model/errors.js';
import { formatCount, formatDuration, formatMany } from '../../../src/render/format.js';
import { makeFolder } from '../../output/folders.js';
import { perfFailure } from '../../perf/failures.js';
import { handleInterrupts } from '../../process/interrupts.js';
import { awaitEnd, TIMEOUTS } from '../await-end.js';
import type { Machine } from '../machine/probe.js';
import type { PerfVersion } from '../machine/version.js';
import type { RecordOptions } from '../options.js';
import { PerfProcess } from '../perf-process.js';
import { ACK_MS } from '../run-recording.js';
import type { Target } from '../target.js';
import { withProbes } from '../with-events.js';
import { breakpointsAreHit } from './breakpoints.js';
import { type Call, Calls, type Pairs } from './calls.js';
import { HitReader, type WatcherRecord } from './hits.js';
import { CURRENT } from './log.js';
import { findPlace, type Place } from './place.js';
import { type CapturePlan, planCapture } from './plan.js';
import { Budget, durationOf } from './policy.js';
import { RunningCalls } from './running.js';
import { Snapshots } from './snapshots.js';
import type { CallTrigger } from './spec.js';
import { type StartedTarget, startTarget } from './start-target.js';
import { Ways } from './ways.js';

export interface CaptureContext {
  readonly machine: Machine;
  readonly version: PerfVersion;
  readonly notify: (text: string) => void;
  /** The name of the group of its probes. */
  readonly group: string;
}

const DEFAULTS = { keep: 10, everyMs: 1000, maxCost: 0.02 } as const;

/** Returns the path of the slowest call's snapshot; null: there is none. @throws PtflameError */
export async function captureCalls(
  options: RecordOptions,
  trigger: CallTrigger,
  target: Target,
  context: CaptureContext,
): Promise<string | null> {
  const directory = options.output.startsWith('-') ? `./${options.output}` : options.output;
  const { machine, notify } = context;
  createDirectory(directory);
  let started: StartedTarget | null = null;
  try {
    started = await startTarget(target, trigger.to === null ? [trigger.function] : [trigger.function, trigger.to]);
    const { pids } = started;
    const place = await samePlace(pids, trigger.function);
    const to = trigger.to === null ? null : await samePlace(pids, trigger.to);
    if (to !== null && to.addressOf(to.entry) === place.addressOf(place.entry))
      throw new PtflameError('BAD_OPTION', `--trigger: ${place.name} and ${to.name} are the same place`, {
        hint: `calls of a function from its entry to its returns: --trigger '${place.name}>10ms'`,
      });
    const hasBreakpoints = (await breakpointsAreHit(options.perf)) !== false;
    const plan = planCapture({ options, trigger, pids, place, to, hasBreakpoints, directory, ...context });
    for (const name of trigger.at === 'end' && to === null ? (place.exits?.jumpsTo ?? []) : [])
      notify(`warning: calls of ${place.name} that end with a jump to ${name} are not seen`);
    for (const line of plan.probes?.warnings ?? []) notify(line);
    const capture = new Capture({ ...context, plan, options, trigger, place, to, pids, directory });
    const run = () => capture.run();
    const tracing = machine.tracing.directory;
    return await (plan.probes === null || tracing === null ? run() : withProbes(plan.probes, tracing, run, notify));
  } finally {
    await started?.end();
    removeIfEmpty(directory);
  }
}

function createDirectory(path: string): void {
  const other = 'choose another directory with -o';
  makeFolder(path, other, 0o700);
  if (readdirSync(path).length > 0)
    throw new PtflameError('OUTPUT_UNWRITABLE', `${path} is not empty: snapshots need a directory of their own`, {
      hint: other,
    });
}

function removeIfEmpty(path: string): void {
  if (existsSync(path) && readdirSync(path).length === 0) rmSync(path, { recursive: true });
}

/** Processes that were forked from one have a function at the same address. */
async function samePlace(pids: readonly number[], name: string): Promise<Place> {
  const [first, ...others] = await Promise.all(pids.map((pid) => findPlace(pid, name)));
  if (first === undefined) throw new PtflameError('NO_SUCH_TARGET', 'no process', { hint: 'add -p PID' });
  if (others.every((each) => each.addressOf(each.entry) === first.addressOf(first.entry))) return first;
  throw new PtflameError('NO_SUCH_TARGET', `--trigger: ${name} is at another address in each of these processes`, {
    hint: 'record one of them, or processes that one has forked',
  });
}

type End = 'time' | 'interrupt' | 'exec' | 'cost' | 'watcher' | 'recorder';

const MAX_ATTEMPTS = 5;
const GROWTH_CHECK_MS = 5_000;

interface CaptureInput extends CaptureContext {
  readonly plan: CapturePlan;
  readonly options: RecordOptions;
  readonly trigger: CallTrigger;
  readonly place: Place;
  readonly to: Place | null;
  readonly pids: readonly number[];
  readonly directory: string;
}

class Capture {
  readonly #input: CaptureInput;
  readonly #calls: Pairs;
  /** null: slow calls are known when they end. */
  readonly #running: RunningCalls | null;
  readonly #snapshots: Snapshots;
  readonly #budget: Budget;
  readonly #begun = new Set<number>();
  /** Processes that run another program now. */
  readonly #others = new Set<number>();
  readonly #counts = { calls: 0, lost: 0, unsure: 0 };
  #isOver = false;
  #recorder: PerfProcess | null = null;
  #watcher: PerfProcess | null = null;
  #recorderHasEnded = false;
  #stop: (end: End) => void = () => {};
  /** Of what the watcher says itself. */
  readonly #stopped = new Promise<End>((done) => {
    this.#stop = done;
  });

  constructor(input: CaptureInput) {
    const { options, trigger, place, to, directory, notify } = input;
    this.#input = input;
    this.#calls = to === null ? new Calls() : new Ways();
    this.#running = options.early
      ? new RunningCalls({
          limitNs: () => Math.max(trigger.minNs, this.#snapshots.leastNs),
          onSlow: (call) => this.#snapshots.onRunning(call),
        })
      : null;
    this.#budget = new Budget(options.maxCost ?? DEFAULTS.maxCost);
    this.#snapshots = new Snapshots({
      function: place.name,
      ...(to && { to: to.name }),
      directory,
      keep: options.keep ?? (options.keepSize === undefined ? DEFAULTS.keep : Number.POSITIVE_INFINITY),
      ...(options.keepSize !== undefined && { keepBytes: options.keepSize }),
      everyNs: (options.every ?? DEFAULTS.everyMs) * 1e6,
      order: () => {
        if (!this.#recorderHasEnded) this.#recorder?.signal('SIGUSR2');
        return !this.#recorderHasEnded;
      },
      notify,
    });
  }

  /** Returns the path of the slowest call's snapshot; null: there is none. */
  async run(): Promise<string | null> {
    const { plan, trigger, notify } = this.#input;
    const { execa } = await import('execa');
    const interrupts = new Interrupts();
    const onMessage = (text: string) => this.#snapshots.onMessage(text);
    const recorder = new PerfProcess({ ...CONTROLLED, command: plan.recorder, onMessage }, execa);
    this.#recorder = recorder;
    void recorder.exited.then(() => {
      this.#recorderHasEnded = true;
    });
    try {
      await interrupts.orDone(begin(recorder, 'record'));
      const watcher = interrupts.isInterrupted ? null : await interrupts.orDone(this.#watch(execa, interrupts));
      if (watcher === null || interrupts.isInterrupted) throw stoppedEarly();
      notify(`waiting for ${this.#what(2)}${limitText(trigger)}; Ctrl-C stops`);
      const end = await this.#firstEnd(watcher, recorder, interrupts);
      await this.#finish(watcher, recorder, end, interrupts);
    } finally {
      const perfs = [this.#watcher, recorder];
      for (const perf of perfs) perf?.signalAll('SIGKILL'); // they have ended, unless something failed
      await Promise.all(perfs.map((perf) => perf?.exited));
      this.#snapshots.removeRest();
      interrupts.release();
    }
    return this.#snapshots.kept[0] ?? null;
  }

  /** Threads that begin while perf attaches are not always watched: it attaches anew then. */
  async #watch(execa: Execa, interrupts: Interrupts): Promise<PerfProcess> {
    const { plan, pids, notify } = this.#input;
    for (let attempt = 1; ; attempt++) {
      const before = new Set(await threadsOf(pids));
      this.#begun.clear();
      const reader = new HitReader((record) => this.#onRecord(record));
      const onOutput = (bytes: Buffer) => reader.add(bytes);
      const watcher = new PerfProcess({ ...CONTROLLED, command: plan.watcher, onOutput }, execa);
      this.#watcher = watcher;
      try {
        await begin(watcher, 'watch');
        const missing = (await threadsOf(pids)).filter((tid) => !before.has(tid) && !this.#begun.has(tid));
        if (missing.length === 0 || attempt === MAX_ATTEMPTS || interrupts.isInterrupted) {
          if (missing.length > 0)
            notify(
              `warning: ${formatMany(missing.length, 'thread')} began while perf attached: calls in them may be missed`,
            );
          return watcher;
        }
      } catch (error) {
        watcher.signalAll('SIGKILL');
        throw error;
      }
      watcher.signalAll('SIGKILL');
      await watcher.exited;
      this.#calls.endAll();
    }
  }

  #firstEnd(watcher: PerfProcess, recorder: PerfProcess, interrupts: Interrupts): Promise<End> {
    const { time } = this.#input.options;
    const timer = new AbortController();
    const growth = setInterval(() => this.#snapshots.checkGrowth(), GROWTH_CHECK_MS);
    const ends: Promise<End>[] = [
      interrupts.interrupted,
      watcher.exited.then(() => 'watcher' as const),
      recorder.exited.then(() => 'recorder' as const),
      this.#stopped,
    ];
    if (time !== undefined)
      ends.push(wait(time, 'time' as const, { signal: timer.signal }).catch(() => 'time' as const));
    return Promise.race(ends).finally(() => {
      clearInterval(growth);
      timer.abort();
    });
  }

  /**
   * Hits that are on their way still order snapshots: the watcher ends first.
   *
   * @throws PtflameError if a perf ended before the target
   */
  async #finish(watcher: PerfProcess, recorder: PerfProcess, end: End, interrupts: Interrupts): Promise<void> {
    const hasFailed = (end === 'watcher' || end === 'recorder') && !(await this.#targetEnds());
    const { directory, notify } = this.#input;
    const path = join(directory, CURRENT);
    await stop(watcher, path, notify);
    this.#running?.endAll();
    await interrupts.orForced(Promise.race([this.#snapshots.written(), recorder.exited]));
    await stop(recorder, path, notify);
    this.#snapshots.end();
    this.#summarize(hasFailed ? null : end);
    if (!hasFailed || interrupts.isInterrupted) return;
    const failed = end === 'watcher' ? watcher : recorder;
    throw perfFailure({ command: 'record', ...(await failed.exited), stderr: failed.stderr.text });
  }

  /** perf may see the end of the target before others do. */
  async #targetEnds(): Promise<boolean> {
    for (const until = performance.now() + TARGET_END_MS; performance.now() < until; await wait(POLL_MS))
      if (!(await anyAlive(this.#input.pids))) return true;
    return false;
  }

  #onRecord(record: WatcherRecord): void {
    switch (record.kind) {
      case 'begin':
        this.#begun.add(record.tid);
        return;
      case 'end':
        this.#begun.delete(record.tid);
        this.#running?.update(record.tid, null);
        return this.#onUnsure(this.#calls.end(record.tid));
      case 'exec':
        return this.#onExec(record.pid);
      case 'lost':
        this.#counts.lost += record.count;
        return;
      case 'hit':
        return this.#onHit(record);
    }
  }

  /** Calls that may have been outermost ones: an exception or a jump may have left the call that they were in. */
  #onUnsure(call: Call | null): void {
    if (call !== null && durationOf(call) >= this.#input.trigger.minNs) this.#counts.unsure++;
  }

  /** Breakpoints stay where they are, in another program's code. */
  #onExec(pid: number): void {
    this.#others.add(pid);
    this.#running?.update(pid, null);
    if (this.#input.pids.every((each) => this.#others.has(each))) this.#stop('exec');
  }

  #onHit({ event, pid, tid, timeNs, stackPointer }: Extract<WatcherRecord, { kind: 'hit' }>): void {
    if (this.#others.has(pid)) return;
    const nowNs = performance.now() * 1e6;
    this.#snapshots.delays.add(timeNs, nowNs);
    const cost = this.#budget.onHit(timeNs);
    if (cost !== null) return this.#stopForCost(cost);
    const at = this.#input.plan.events[event];
    if (at === undefined) return;
    const sinceNs = this.#calls.openSince(tid);
    const call =
      this.#input.trigger.at === 'entry'
        ? { tid, startNs: timeNs, endNs: timeNs }
        : this.#calls.add({ tid, timeNs, stackPointer, at });
    const isTold = call !== null && this.#running?.isTold(call);
    const nextNs = this.#calls.openSince(tid);
    if (sinceNs !== null && nextNs !== null && nextNs > sinceNs && call?.startNs !== sinceNs)
      this.#snapshots.onLeft(tid, sinceNs); // by an exception: it is called as high up again
    this.#running?.update(tid, nextNs);
    if (call === null) return;
    this.#counts.calls++;
    if (isTold) this.#snapshots.onEnded(call);
    else if (durationOf(call) >= this.#input.trigger.minNs) this.#snapshots.onTrigger(call, nowNs);
  }

  /** "calls of parse", "ways from parse to reply". */
  #what(count: number): string {
    const { place, to } = this.#input;
    const plural = count === 1 ? '' : 's';
    return to === null ? `call${plural} of ${place.name}` : `way${plural} from ${place.name} to ${to.name}`;
  }

  #stopForCost(cost: number): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const percent = (value: number) => `${(value * 100).toFixed(1)} %`;
    this.#input.notify(
      `stopped: ${this.#what(2)} are so frequent that watching them takes more than ${percent(cost)} of a CPU; take a rarer function, or --max-cost`,
    );
    this.#stop('cost');
  }

  #summarize(end: End | null): void {
    const { place, directory, notify } = this.#input;
    for (const call of this.#calls.endAll()) this.#onUnsure(call);
    const { calls, lost, unsure } = this.#counts;
    const { triggers, kept } = this.#snapshots;
    if (end === 'watcher' || end === 'recorder') notify('the target ended');
    if (end === 'exec') notify('the target runs another program now');
    if (lost > 0) notify(`warning: perf lost ${formatMany(lost, 'hit')}: slow calls may be missing`);
    if (unsure > 0)
      notify(
        `warning: ${formatMany(unsure, 'slow call')} ran, without a snapshot, within a call of ${place.name} that did not return: an exception or a jump may have left it`,
      );
    notify(
      `${formatCount(calls)} ${this.#what(calls)}, ${formatMany(triggers, 'trigger')}, ${formatMany(kept.length, 'snapshot')} in ${directory}`,
    );
  }
}

type Execa = typeof import('execa').execa;

const CONTROLLED = { isControlled: true, runsCommand: false } as const;
/** A target that ends takes both perfs along, one after the other. */
const TARGET_END_MS = 500;
const POLL_MS = 20;

/** @throws PtflameError if perf does not begin */
async function begin(perf: PerfProcess, what: 'record' | 'watch'): Promise<void> {
  if (await perf.send('enable', TIMEOUTS.startMs)) return;
  perf.signalAll('SIGKILL');
  const exit = await perf.exited;
  const { code, message, hint, output } = perfFailure({ command: 'record', ...exit, stderr: perf.stderr.text });
  throw new PtflameError(code, what === 'record' ? message : `the function cannot be watched: ${message}`, {
    hint,
    output,
  });
}

async function stop(perf: PerfProcess, path: string, notify: (text: string) => void): Promise<void> {
  await perf.send('disable', ACK_MS);
  perf.signal('SIGINT');
  await awaitEnd(perf, path, notify, TIMEOUTS);
}

async function threadsOf(pids: readonly number[]): Promise<number[]> {
  const threads = pids.map((pid) => readdir(`/proc/${pid}/task`).catch((): string[] => []));
  return (await Promise.all(threads)).flat().map(Number);
}

async function anyAlive(pids: readonly number[]): Promise<boolean> {
  const states = pids.map((pid) => readFile(`/proc/${pid}/stat`, 'latin1').catch(() => ') X'));
  return (await Promise.all(states)).some((stat) => !/\) [ZX][^)]*$/.test(stat));
}

function limitText({ at, minNs }: CallTrigger): string {
  if (at === 'entry') return '';
  return minNs === 0 ? '' : ` of ${formatDuration(minNs)} or more`;
}

function stoppedEarly(): PtflameError {
  return new PtflameError('INTERRUPTED', 'stopped before perf began to record', { hint: 'nothing was written' });
}

/** The first Ctrl-C ends the capture and keeps its snapshots; the second does not wait for the one in flight. */
class Interrupts {
  isInterrupted = false;
  readonly interrupted: Promise<'interrupt'>;
  readonly #forced: Promise<null>;
  readonly release: () => void;

  constructor() {
    let [onFirst, onSecond]: (() => void)[] = [];
    this.interrupted = new Promise((done) => {
      onFirst = () => done('interrupt');
    });
    this.#forced = new Promise((done) => {
      onSecond = () => done(null);
    });
    this.release = handleInterrupts((signal) => {
      if (this.isInterrupted && signal !== 'SIGHUP') onSecond?.();
      this.isInterrupted = true;
      onFirst?.();
    });
  }

  /** Returns null if Ctrl-C came first. */
  orDone<Result>(work: Promise<Result>): Promise<Result | null> {
    return Promise.race([work, this.interrupted.then(() => null)]);
  }

  orForced(work: Promise<unknown>): Promise<unknown> {
    return Promise.race([work, this.#forced]);
  }
}
