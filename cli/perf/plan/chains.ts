/**
 * Plans what shows why threads wait: call chains of the kernel at switches, and where the program was at each of them.
 */
import { type Machine, threadCount } from '../machine/probe.js';
import type { PlanInput } from './plan-input.js';
import type { Target } from './target.js';

/** perf's arguments. */
export interface ChainsPlan {
  readonly arguments: readonly string[];
}

/** Walking the kernel's stack takes 1 to 2 µs: so many a second are 1 to 2 % of a CPU. */
const CHAINS_A_SECOND = 10_000;
/** Of a thread: at this rate, nearly all of its waits have their chain unless it waits for microseconds. */
const MAX_RATE = 2500;
/** A process with more threads than `CHAINS_A_SECOND` allows for has seldom that many that switch at once. */
const MIN_RATE = 10;
/** The threads of a command, or of those to come, are not known. */
const EXPECTED_THREADS = 4;

/** Threads that wait, not those that were preempted (include/linux/sched.h, TASK_REPORT). */
const BLOCKED = 'prev_state & 255';

/** The instruction of the program, and the first argument of its system call. */
const REGISTERS: Partial<Record<NodeJS.Architecture, string>> = { x64: 'ip,di', arm64: 'pc,x0' };

/** Returns null where chains are not wanted, or where the kernel does not tell this user what its functions are. */
export async function planChains(input: PlanInput, isOffered: boolean): Promise<ChainsPlan | null> {
  const { options, target, machine } = input;
  const { switchId } = machine.tracing;
  if (options.waits !== 'full' || machine.kallsyms !== 'readable' || switchId === null || !isOffered) return null;
  const rate = Math.floor(CHAINS_A_SECOND / (await unitCount(target, machine)));
  const frequency = Math.min(Math.max(rate, MIN_RATE), MAX_RATE, machine.maxSampleRate ?? MAX_RATE);
  const registers = REGISTERS[process.arch];
  return {
    arguments: [
      ...['-e', `tracepoint/config=${switchId},freq=${frequency},call-graph=fp/`, '--filter', BLOCKED],
      '--kernel-callchains',
      ...(registers === undefined ? [] : [`--user-regs=${registers}`]),
    ],
  };
}

/** Each thread, or each CPU, has an event with a rate of its own. */
async function unitCount(target: Target, { cpu }: Machine): Promise<number> {
  switch (target.kind) {
    case 'cpus':
      return target.cpus.length;
    case 'all-cpus':
      return cpu.online.length;
    case 'threads':
      return target.tids.length;
    case 'processes':
      return (await Promise.all(target.pids.map(threadCount))).reduce((sum, count) => sum + count, 0);
    case 'command':
      return EXPECTED_THREADS;
  }
}
