/**
 * The waits of all threads: when, in which futex call, woken by which thread, and how long until they ran again.
 */

import { KERNEL_STACKS, numbersOf, type SampleTable, tableOf, textsOf } from '../model/sample-table.js';
import { type Nanoseconds, NONE, type Tid } from '../model/units.js';
import { findWakers, type Wakers } from './find-wakers.js';
import { type FutexCalls, futexCallsOf } from './futex-calls.js';
import { KeyNumbers } from './input/group-rows.js';
import { type LostSpans, lostSpansOf } from './input/lost.js';
import { Reason, reasonByKernelStack } from './reason.js';
import { OffState, rowEndingFrom, type Schedule, scheduleOf, threadOf, type WaitInput } from './schedule.js';
import { type WaitCalls, waitCallsOf } from './wait-calls.js';

/** A wait is a row of the schedule. */
export interface Waits extends Schedule, Wakers, WaitCalls, KernelReasons {
  readonly calls: FutexCalls;
  readonly lost: LostSpans;
}

export function waitsOf(input: WaitInput): Waits {
  const schedule = scheduleOf(input);
  const calls = futexCallsOf(input.samples);
  const lost = lostSpansOf(input.lost);
  const waitCalls = waitCallsOf(schedule, calls, lost);
  const wakers = findWakers(schedule, waitCalls, calls, input.samples);
  return { ...schedule, ...waitCalls, ...wakers, ...kernelReasonsOf(schedule, input.samples), calls, lost };
}

/**
 * Why threads waited, by what the kernel did when they were switched out.
 *
 * Call chains of the kernel cost more than all else that is noted of a switch, so perf takes some of them only: nearly all of
 * threads that seldom wait. Each switch has the instruction of the program, and the first argument of its system call, such as
 * a file. Where all waits with a chain had one reason, others of the process at the same instruction with the same argument
 * had the same; without a chain for this argument, those at the same instruction.
 *
 * By wait.
 */
interface KernelReasons {
  readonly kernelReason: Uint8Array; // Reason; Unknown: no chain says it
  /** 1: concluded from other waits. */
  readonly isReasonInferred: Uint8Array;
}

const SWITCHES = 'sched:sched_switch';
/** Samples of one switch, or of their call chains, are in these tables. */
const TABLES_WITH_CHAINS = [SWITCHES, KERNEL_STACKS];

export function kernelReasonsOf(schedule: Schedule, samples: readonly SampleTable[]): KernelReasons {
  const kernelReason = new Uint8Array(schedule.length);
  const isReasonInferred = new Uint8Array(schedule.length);
  const switches = tableOf(samples, SWITCHES);
  const waitAt = (tid: Tid, timeNs: Nanoseconds) => waitOf(schedule, tid, timeNs);
  const tables = TABLES_WITH_CHAINS.flatMap((event) => tableOf(samples, event) ?? []);
  const known = tables.map((table) => addChains(table, waitAt, kernelReason));
  if (switches && known.includes(true)) inferReasons(switches, waitAt, { kernelReason, isReasonInferred });
  return { kernelReason, isReasonInferred };
}

type WaitAt = (tid: Tid, timeNs: Nanoseconds) => number;

/** Returns whether the table has chains. */
function addChains(table: SampleTable, waitAt: WaitAt, into: Uint8Array): boolean {
  const stacks = textsOf(table, 'kernel_stack');
  if (stacks === null) return false;
  const known = new Map<string, Reason>([['', Reason.Unknown]]);
  for (let row = 0; row < table.length; row++) {
    const stack = stacks[row] as string;
    let reason = known.get(stack);
    if (reason === undefined) known.set(stack, (reason = reasonByKernelStack(stack)));
    const wait = reason === Reason.Unknown ? NONE : waitAt(table.tid[row], table.timeNs[row]);
    if (wait !== NONE) into[wait] = reason;
  }
  return true;
}

/** The kernel may take the chain before it notes the switch in other ways. */
const MAX_NS_TO_NOTE: Nanoseconds = 100_000;

/** Returns the wait that began when a thread was seen for the last time; NONE. */
function waitOf(schedule: Schedule, tid: Tid, timeNs: Nanoseconds): number {
  const thread = threadOf(schedule, tid);
  if (thread === NONE) return NONE;
  const wait = rowEndingFrom(schedule, thread, timeNs);
  if (wait === schedule.starts[thread + 1] || schedule.state[wait] !== OffState.Blocked) return NONE;
  return schedule.outNs[wait] <= timeNs + MAX_NS_TO_NOTE ? wait : NONE;
}

const CONFLICT = 255;

function inferReasons(switches: SampleTable, waitAt: WaitAt, { kernelReason, isReasonInferred }: KernelReasons): void {
  const sites = sitesOf(switches);
  const waits = Int32Array.from(sites.rows, (row) => waitAt(switches.tid[row], switches.timeNs[row]));
  const ofSite = new Uint8Array(sites.count);
  const ofCall = new Uint8Array(sites.callCount);
  const note = (reasons: Uint8Array, at: number, reason: number) => {
    reasons[at] = reasons[at] === Reason.Unknown || reasons[at] === reason ? reason : CONFLICT;
  };
  waits.forEach((wait, at) => {
    const reason = wait === NONE ? Reason.Unknown : kernelReason[wait];
    if (reason === Reason.Unknown) return;
    note(ofSite, sites.site[at], reason);
    note(ofCall, sites.call[at], reason);
  });
  waits.forEach((wait, at) => {
    if (wait === NONE || kernelReason[wait] !== Reason.Unknown) return;
    const reason = ofCall[sites.call[at]] || ofSite[sites.site[at]];
    if (reason === Reason.Unknown || reason === CONFLICT) return;
    kernelReason[wait] = reason;
    isReasonInferred[wait] = 1;
  });
}

/** Where programs were when they were switched out, of the rows of which it is known. */
interface Sites {
  readonly rows: Uint32Array;
  /** Number of the process, the instruction, and whether a signal could have ended the wait. */
  readonly site: Uint32Array;
  /** Number of these and the first argument. */
  readonly call: Uint32Array;
  readonly count: number;
  readonly callCount: number;
}

/** Above all numbers of processes, and above the number of different sites: keys are exact numbers. */
const MAX_PIDS = 2 ** 22;
const MAX_SITES = 2 ** 26;

function sitesOf(switches: SampleTable): Sites {
  const ips = numbersOf(switches, 'user_ip') ?? new Float64Array(switches.length).fill(Number.NaN);
  const args = numbersOf(switches, 'user_argument');
  const states = textsOf(switches, 'prev_state');
  const rows = Uint32Array.from(ips.keys()).filter((row) => !Number.isNaN(ips[row]));
  const [ipNumbers, argNumbers, sites, calls] = Array.from({ length: 4 }, () => new KeyNumbers(new Int32Array(0)));
  const site = rows.map((row) => {
    const isDeaf = states?.[row]?.startsWith('D') ? 1 : 0;
    return sites.add((2 * ipNumbers.add(ips[row]) + isDeaf) * MAX_PIDS + switches.pid[row]);
  });
  const call = rows.map((row, at) => calls.add(argNumbers.add(args?.[row] || 0) * MAX_SITES + site[at]));
  return { rows, site, call, count: sites.keys.length, callCount: calls.keys.length };
}
