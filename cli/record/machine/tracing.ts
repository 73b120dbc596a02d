/**
 * Reads what the kernel's tracing directory (tracefs) offers to this user: tracepoints, and probes in programs.
 */
import { constants } from 'node:fs';
import { access, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listUprobes, ownerOf } from './uprobes.js';

export interface Tracing {
  /** Where tracefs is; null: not mounted. */
  readonly directory: string | null;
  readonly isReadable: boolean;
  /** Tracepoints of `TRACEPOINTS` that the kernel lacks. */
  readonly missing: readonly string[];
  /** Those of `KERNEL_WORK` that it has. */
  readonly kernelWork: readonly string[];
  /** The kernel's number of `sched_switch`; null: it is missing or unreadable. */
  readonly switchId: number | null;
  /** Whether this user may add uprobes; null: the kernel has none. */
  readonly canProbe: boolean | null;
  /** Groups of probes whose ptflame was killed. */
  readonly leftovers: readonly string[];
}

export const WAKING = 'sched:sched_waking';
export const SWITCH = 'sched:sched_switch';
export const FUTEXES: readonly string[] = ['syscalls:sys_enter_futex', 'syscalls:sys_exit_futex'];
export const SYSCALLS = 'raw_syscalls:sys_enter';
const INTERRUPTS = ['local_timer', 'reschedule', 'call_function', 'call_function_single'];
const HANDLERS = ['irq:irq_handler', 'irq:softirq', ...INTERRUPTS.map((name) => `irq_vectors:${name}`)];
/** What the kernel does in a thread that it does not ask for; x86-64 alone has vectors. */
export const KERNEL_WORK: readonly string[] = [
  'exceptions:page_fault_user',
  ...HANDLERS.flatMap((name) => [`${name}_entry`, `${name}_exit`]),
];
const TRACEPOINTS: readonly string[] = [WAKING, SWITCH, ...FUTEXES];

const UNREADABLE: Omit<Tracing, 'directory'> = {
  isReadable: false,
  missing: [],
  kernelWork: [],
  switchId: null,
  canProbe: false,
  leftovers: [],
};

const MOUNTS = ['sys/kernel/tracing', 'sys/kernel/debug/tracing'];

export async function readTracing(root: string): Promise<Tracing> {
  for (const mount of MOUNTS) {
    const directory = join(root, mount);
    const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => error.code);
    if (names === 'EACCES') return { ...UNREADABLE, directory };
    if (!Array.isArray(names) || !names.includes('events')) continue; // without a mount, an empty directory
    const may = (path: string, mode: number) =>
      access(join(directory, path), mode).then(
        () => true,
        () => false,
      );
    const found = await Promise.all(
      [...TRACEPOINTS, ...KERNEL_WORK].map((event) => may(`${eventDirectory(event)}/format`, constants.F_OK)),
    );
    return {
      directory,
      isReadable: await may(`${eventDirectory(WAKING)}/format`, constants.R_OK),
      missing: TRACEPOINTS.filter((_, index) => !found[index]),
      kernelWork: KERNEL_WORK.filter((_, index) => found[TRACEPOINTS.length + index]),
      switchId: await numberIn(join(directory, eventDirectory(SWITCH), 'id')),
      canProbe: names.includes('uprobe_events') ? await may('uprobe_events', constants.R_OK | constants.W_OK) : null,
      leftovers: await leftovers(root, directory),
    };
  }
  return { ...UNREADABLE, directory: null };
}

async function numberIn(path: string): Promise<number | null> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return /^\d+$/.test(text.trim()) ? Number(text) : null;
}

async function leftovers(root: string, directory: string): Promise<string[]> {
  const groups = [...new Set(listUprobes(directory).map(({ group }) => group))];
  const name = (process: number | string) => readFile(join(root, `proc/${process}/comm`), 'utf8').catch(() => null);
  const own = await name('self');
  const names = await Promise.all(groups.map((group) => name(ownerOf(group) ?? 'self')));
  return groups.filter((_, index) => names[index] !== own); // a program of another name has the process id now
}

/** Returns the directory of "sched:sched_waking" below that of tracefs. */
export function eventDirectory(event: string): string {
  return `events/${event.replace(':', '/')}`;
}
