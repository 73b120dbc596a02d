/**
 * Whether tests may record tracepoints and uprobes of the machine they run on.
 */
import { accessSync, constants, readFileSync } from 'node:fs';
import { execa } from 'execa';

export const UPROBES = '/sys/kernel/tracing/uprobe_events';
/** The C library of this process, and so of most programs. */
export const LIBC = /\s(\/\S*\/libc\.so\.6|\/\S*\/libc-2\S*\.so)$/m.exec(readFileSync('/proc/self/maps', 'utf8'))?.[1];

/** Needs root, tracefs and a kernel with these events. */
export async function isTracingPermitted(): Promise<boolean> {
  try {
    accessSync(UPROBES, constants.R_OK | constants.W_OK);
  } catch {
    return false;
  }
  const args = ['record', '-o', '/dev/null', '-a', '-e', 'sched:sched_waking', '-e', 'syscalls:sys_enter_futex'];
  const { failed } = await execa('perf', [...args, '--', 'true'], { reject: false, timeout: 20_000, stdin: 'ignore' });
  return !failed && LIBC !== undefined;
}
