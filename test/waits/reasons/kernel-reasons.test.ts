/**
 * Why threads waited, by call chains of the kernel: of a real recording of threads that each wait for one thing
 * (fixtures/waits/source/reasons.py), and of switches of which some have a chain.
 */
import { describe, expect, it } from 'vitest';
import { KernelNotes } from '../../../src/perfdata/kernel-notes.js';
import { readRecording } from '../../../src/perfdata/read-recording.js';
import { withWaits } from '../../../src/questions/waits/ask-waits.js';
import { WaitFacts } from '../../../src/questions/waits/wait-facts.js';
import { Reason, reasonByKernelStack, reasonName } from '../../../src/waits/reason.js';
import { OffState, scheduleOf } from '../../../src/waits/schedule.js';
import { kernelReasonsOf } from '../../../src/waits/waits.js';
import { fileOf } from '../../helpers/perf/perf-data.js';
import { fixture } from '../../helpers/traces/load.js';
import { inputOf, type RecordedSample } from '../simulator/recorder.js';

it.each([
  ['__x64_sys_poll;do_sys_poll', Reason.Poll],
  ['ksys_read;anon_pipe_read', Reason.Pipe],
  ['ksys_read;pipe_read.isra.0', Reason.Pipe],
  ['__x64_sys_recvfrom;__sys_recvfrom;sock_recvmsg;tcp_recvmsg_locked;sk_wait_data', Reason.Socket],
  ['__sys_sendto;sock_sendmsg;tcp_sendmsg;sk_stream_wait_memory', Reason.NetworkWrite],
  ['__x64_sys_fsync;do_fsync;ext4_sync_file;bit_wait_io;io_schedule', Reason.Fsync],
  ['__x64_sys_pwrite64;io_schedule_timeout', Reason.Disk],
  ['ksys_read;asm_exc_page_fault;exc_page_fault;handle_mm_fault;folio_wait_bit_common;io_schedule', Reason.PageFault],
  ['asm_exc_page_fault;exc_page_fault;do_user_addr_fault;rwsem_down_read_slowpath', Reason.KernelLock],
  ['__x64_sys_futex;do_futex;futex_wait;futex_do_wait', Reason.Futex],
  ['__do_sys_io_uring_enter;io_cqring_wait', Reason.AsyncIo],
  ['do_sigtimedwait.isra.0', Reason.Signal],
  ['kernel_wait4;do_wait', Reason.Child],
  ['do_nanosleep', Reason.Sleep],
  ['__x64_sys_mprotect', Reason.Other],
  ['[kernel]', Reason.Other],
  ['', Reason.Unknown],
])('%s is reason %i', (stack, reason) => {
  expect(reasonByKernelStack(stack)).toBe(reason);
});

it('every reason has a name of its own', () => {
  const names = Object.values(Reason).map(reasonName);
  expect(new Set(names).size).toBe(names.length);
  expect(names).not.toContain(undefined);
});

describe('a recording of threads that each wait for one thing', async () => {
  const bytes = fileOf(fixture('waits/reasons.data.gz'));
  const read = async (notes: string) => {
    const sampled = await readRecording(bytes, { kernel: new KernelNotes(notes) });
    const input = { name: 'reasons', sampled, sides: [], recorded: null, broken: null };
    return withWaits([input], {}, async (all) => reasonsByThread(all));
  };
  const notes = fixture('waits/reasons.kernel.txt').toString();

  it.each([
    ['sleep', 'sleep'],
    ['poll', 'poll'],
    ['pipe', 'pipe'],
    ['socket', 'network read'],
    ['child', 'child'],
    ['fsync', 'fsync'],
    ['disk', 'disk'],
    ['signal', 'signal'],
    ['futex', 'futex'],
    ['fault', 'page fault'],
  ])('the thread %s waits for: %s', async (comm, reason) => {
    expect((await read(notes)).get(comm)).toContain(reason);
  });

  it('says nothing without the addresses of functions', async () => {
    const known = [...(await read('')).values()].flatMap((reasons) => [...reasons]);
    expect([...new Set(known)].sort()).toEqual(['futex', 'mutex', 'unknown']);
  });
});

function reasonsByThread({ waits, threads, calls, trace }: Parameters<Parameters<typeof withWaits>[2]>[0]) {
  const facts = new WaitFacts({ waits, calls });
  const found = new Map<string, Set<string>>();
  expect(trace.samples.length).toBeGreaterThan(0);
  for (let wait = 0; wait < waits.length; wait++) {
    if (waits.state[wait] !== OffState.Blocked) continue;
    const comm = threads.of(waits.tid[wait]).comm ?? '';
    found.set(comm, (found.get(comm) ?? new Set()).add(reasonName(facts.reason[wait])));
  }
  return found;
}

/** Each word is a switch out and in: "poll@a/3" has a chain and is at instruction a with argument 3; "-@a/3" has none. */
function reasonsOf(text: string): string[] {
  const STACKS: Record<string, string> = { poll: 'do_sys_poll', pipe: 'anon_pipe_read' };
  const samples = text.split(' ').flatMap((word, at): RecordedSample[] => {
    const [what, ip, argument] = word.split(/[@/]/);
    const out = { timeNs: 10_000_000 * (at + 1), cpu: 0, tid: 7, context: 1 as const };
    const back = { ...out, timeNs: out.timeNs + 5_000_000, tid: 8 };
    const event = 'sched:sched_switch';
    const where = { user_ip: ip.charCodeAt(0), user_argument: Number(argument) };
    const chain = { ...out, timeNs: out.timeNs - 2000, event: 'kernel-stacks', values: { kernel_stack: STACKS[what] } };
    return [
      ...(what === '-' ? [] : [chain]),
      { ...out, event, values: { prev_state: 'S', next_pid: 8, ...where } },
      { ...back, event, values: { prev_state: 'S', next_pid: 7 } },
    ];
  });
  const input = inputOf(samples, []);
  const schedule = scheduleOf(input);
  const { kernelReason, isReasonInferred } = kernelReasonsOf(schedule, input.samples);
  const rows = [...schedule.tid.keys()].filter((row) => schedule.tid[row] === 7 && !schedule.isOpen[row]);
  return rows.map((row) => `${reasonName(kernelReason[row])}${isReasonInferred[row] ? '?' : ''}`);
}

describe('a wait without a chain', () => {
  it.each([
    ['has the reason of its equals', 'poll@a/3 -@a/3', ['poll', 'poll?']],
    ['has the reason of others at its instruction', 'poll@a/3 -@a/4', ['poll', 'poll?']],
    ['is told by its argument', 'poll@a/3 pipe@a/4 -@a/3 -@a/4', ['poll', 'pipe', 'poll?', 'pipe?']],
    ['has none if others at its instruction differ', 'poll@a/3 pipe@a/4 -@a/5', ['poll', 'pipe', 'unknown']],
    ['has none if its equals differ', 'poll@a/3 pipe@a/3 -@a/3', ['poll', 'pipe', 'unknown']],
    ['has none at another instruction', 'poll@a/3 -@b/3', ['poll', 'unknown']],
  ])('%s', (_, text, reasons) => {
    expect(reasonsOf(text)).toEqual(reasons);
  });
});
