/**
 * Takes the next step of a thread: a call, a return, or a stop of the trace.
 */
import { type CallPaths, MAX_DEPTH, type PathId } from './call-paths.js';
import { callText, resumeText, returnText, stopText } from './line-texts.js';
import type { LineWriter } from './line-writer.js';
import type { Program } from './program.js';
import type { Random } from './random.js';
import type { SelfTimes } from './self-times.js';

/** Returned by a step instead of a delay: the thread gives up its CPU. */
export const YIELD_CPU = -1;

export class Thread {
  readonly tid: number;
  path: PathId;
  depth = 0;
  /** The call that each frame was entered by. */
  readonly edges = new Int32Array(MAX_DEPTH + 8);
  targetDepth = 0;
  stepsToTarget = 0;
  state: 'new' | 'stopped' | 'running' = 'new';
  isBackFromSyscall = false;
  /** Its time is charged up to here. */
  chargedNs = 0;
  /** When it was scheduled, and the head of its lines on this CPU. */
  sinceNs = 0;
  lineHead: Uint8Array = new Uint8Array();
  /** When it becomes runnable again; NaN: immediately. */
  wakeNs = Number.NaN;

  constructor(tid: number, root: PathId) {
    this.tid = tid;
    this.path = root;
  }
}

const INTERRUPTS = 2 ** -15; // per step
const BLOCKING_SYSCALLS = 0.25;
/** Short, so that each of many threads runs in a small trace, too. */
const SLICE_NS = 50_000;

export class Walk {
  private readonly program: Program;
  private readonly paths: CallPaths;
  private readonly times: SelfTimes;
  private readonly writer: LineWriter;
  private readonly random: Random;
  private readonly isSyscall: Uint8Array; // by path

  constructor(program: Program, paths: CallPaths, times: SelfTimes, writer: LineWriter, random: Random) {
    this.program = program;
    this.paths = paths;
    this.times = times;
    this.writer = writer;
    this.random = random;
    this.isSyscall = Uint8Array.from(paths.functionRow, (row) => (program.functions[row]?.isSyscall ? 1 : 0));
  }

  /** Returns the time until the next step, or YIELD_CPU. */
  step(thread: Thread, nowNs: number, othersWait: boolean): number {
    if (thread.state !== 'running') return this.start(thread, nowNs);
    if (this.isSyscall[thread.path] && !thread.isBackFromSyscall) return this.enterKernel(thread, nowNs);
    if (this.random.share() < INTERRUPTS) return this.interrupt(thread, nowNs, othersWait);
    if (this.shouldCall(thread)) this.call(thread, nowNs);
    else this.return(thread, nowNs);
    return this.pace();
  }

  /** The recording ends: a stopped thread stays stopped until then. */
  finish(thread: Thread, endNs: number): void {
    if (thread.state === 'stopped') this.times.chargeStopped(thread.path, endNs - thread.chargedNs);
  }

  private start(thread: Thread, nowNs: number): number {
    if (thread.state === 'new') this.times.visit(thread.path);
    else this.times.chargeStopped(thread.path, nowNs - thread.chargedNs);
    thread.chargedNs = nowNs;
    thread.state = 'running';
    this.writer.write(thread.lineHead, nowNs, resumeText(this.program, this.functionRow(thread)));
    return 20 + this.random.below(60);
  }

  private enterKernel(thread: Thread, nowNs: number): number {
    this.stop(thread, nowNs);
    thread.isBackFromSyscall = true;
    if (this.random.share() > BLOCKING_SYSCALLS) return 150 + this.random.below(4000);
    thread.wakeNs = nowNs + 10_000 + this.random.below(200_000);
    return YIELD_CPU;
  }

  private interrupt(thread: Thread, nowNs: number, othersWait: boolean): number {
    if (this.isSyscall[thread.path]) return this.pace();
    this.stop(thread, nowNs);
    thread.wakeNs = Number.NaN;
    if (othersWait && nowNs - thread.sinceNs > SLICE_NS) return YIELD_CPU;
    return 400 + this.random.below(3000);
  }

  private stop(thread: Thread, nowNs: number): void {
    this.emit(thread, nowNs, stopText(this.program, this.functionRow(thread)));
    this.times.stop(thread.path);
    thread.state = 'stopped';
  }

  /** Moves towards a target depth, which changes from time to time. */
  private shouldCall(thread: Thread): boolean {
    const { path, depth } = thread;
    if (this.paths.firstCall[path] === this.paths.firstCall[path + 1]) return false;
    if (thread.stepsToTarget-- === 0) this.pickTarget(thread);
    const likely = 0.5 + 0.05 * (thread.targetDepth - depth);
    return depth === 0 || this.random.share() < Math.min(0.9, Math.max(0.1, likely));
  }

  /** Half of the targets are near the root, as after the end of a request. */
  private pickTarget(thread: Thread): void {
    thread.stepsToTarget = 10 + this.random.below(60);
    thread.targetDepth = this.random.below(2) === 0 ? 1 + this.random.below(5) : 6 + this.random.below(MAX_DEPTH - 6);
  }

  private call(thread: Thread, nowNs: number): void {
    const { firstCall, callEdge, callPath } = this.paths;
    const calls = firstCall[thread.path + 1] - firstCall[thread.path];
    const call = firstCall[thread.path] + this.random.below(calls);
    this.emit(thread, nowNs, callText(callEdge[call]));
    thread.edges[thread.depth++] = callEdge[call];
    thread.path = callPath[call];
    this.times.visit(thread.path);
  }

  private return(thread: Thread, nowNs: number): void {
    const edge = thread.edges[--thread.depth];
    this.emit(thread, nowNs, returnText(edge, (this.random.bits() & 1) as 0 | 1));
    thread.path = this.paths.parent[thread.path];
    thread.isBackFromSyscall = false;
  }

  private emit(thread: Thread, nowNs: number, text: number): void {
    this.times.charge(thread.path, nowNs - thread.chargedNs);
    thread.chargedNs = nowNs;
    this.writer.write(thread.lineHead, nowNs, text);
  }

  private functionRow(thread: Thread): number {
    return this.paths.functionRow[thread.path];
  }

  /** Many branches share one time packet; few take long. */
  private pace(): number {
    const bits = this.random.bits();
    const percent = bits % 128;
    if (percent < 50) return 0;
    if (percent < 120) return 1 + ((bits >>> 8) & 31);
    return percent < 127 ? 30 + ((bits >>> 8) & 255) : 200 + ((bits >>> 8) & 2047);
  }
}
