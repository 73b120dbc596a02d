/**
 * Writes trees of /proc and /sys for simulated machines; ptflame reads them if PTFLAME_TEST_ROOT names one.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export interface FakeMachine {
  readonly vendor?: string;
  readonly model?: string;
  readonly flags?: string;
  /** null: no PMU. */
  readonly caps?: Readonly<Record<string, string>> | null;
  readonly paranoid?: string;
  readonly mlockKb?: string;
  readonly lockable?: string;
  /** CapEff. */
  readonly capabilities?: string;
  readonly uid?: number;
  readonly online?: string;
  readonly availableKb?: number;
  /** Tracepoints of the kernel; null: tracefs is not mounted. */
  readonly tracepoints?: readonly string[] | null;
  /** False: the kernel has none. */
  readonly uprobes?: boolean;
  /** What `uprobe_events` contains. */
  readonly probes?: string;
  /** What `kallsyms` contains; then, `sched_switch` has number 372. */
  readonly kallsyms?: string;
  /** Names of running processes. */
  readonly processes?: Readonly<Record<number, string>>;
}

export const TRACEPOINTS = [
  'sched:sched_waking',
  'sched:sched_switch',
  'syscalls:sys_enter_futex',
  'syscalls:sys_exit_futex',
];

const CAPS = {
  psb_cyc: '1',
  mtc: '1',
  ip_filtering: '1',
  mtc_periods: '249',
  cycle_thresholds: '1fff',
  psb_periods: '3f',
};

/** Writes the tree and returns its path. The default is an Intel machine where root may do everything. */
export async function machineTree(root: string, machine: FakeMachine = {}): Promise<string> {
  const { caps = CAPS, vendor = 'GenuineIntel', model = 'Intel(R) Core(TM) i7-8700', flags = 'fpu intel_pt' } = machine;
  const { paranoid = '2', mlockKb = '516', lockable = '8388608', capabilities = '000001ffffffffff', uid = 0 } = machine;
  const { online = '0-3', availableKb = 16_000_000 } = machine;
  const { tracepoints = TRACEPOINTS, uprobes = true, probes = '', processes = {} } = machine;
  const files: Record<string, string> = {
    'proc/cpuinfo': `processor\t: 0\nvendor_id\t: ${vendor}\nmodel name\t: ${model}\nflags\t\t: ${flags}\n\n`,
    'proc/meminfo': `MemTotal:       20000000 kB\nMemAvailable:   ${availableKb} kB\n`,
    'proc/self/status': `Name:\tnode\nUid:\t${uid}\t${uid}\t${uid}\t${uid}\nCapEff:\t${capabilities}\n`,
    'proc/self/limits': `Limit  Soft Limit  Hard Limit  Units\nMax locked memory         ${lockable}   ${lockable}   bytes\n`,
    'proc/sys/kernel/osrelease': '6.1.0-test\n',
    'proc/sys/kernel/perf_event_paranoid': `${paranoid}\n`,
    'proc/sys/kernel/perf_event_mlock_kb': `${mlockKb}\n`,
    'proc/sys/kernel/kptr_restrict': '0\n',
    'sys/devices/system/cpu/online': `${online}\n`,
  };
  const pmu = 'sys/bus/event_source/devices/intel_pt';
  if (caps !== null) {
    Object.assign(files, {
      [`${pmu}/type`]: '8\n',
      [`${pmu}/nr_addr_filters`]: '2\n',
      [`${pmu}/format/cyc`]: 'config:1\n',
    });
    for (const [name, value] of Object.entries({ ...CAPS, ...caps })) files[`${pmu}/caps/${name}`] = `${value}\n`;
  }
  for (const [pid, name] of Object.entries({ self: 'node', ...processes })) files[`proc/${pid}/comm`] = `${name}\n`;
  const tracing = 'sys/kernel/tracing';
  if (machine.kallsyms !== undefined) {
    files['proc/kallsyms'] = machine.kallsyms;
    files['sys/kernel/tracing/events/sched/sched_switch/id'] = '372\n';
  }
  for (const event of tracepoints ?? [])
    files[`${tracing}/events/${event.replace(':', '/')}/format`] = `name: ${event.replace(/^.*:/, '')}\nID: 7\n`;
  if (tracepoints !== null && uprobes) files[`${tracing}/uprobe_events`] = probes;
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  return root;
}
