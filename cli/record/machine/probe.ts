/**
 * Reads from /proc and /sys what this machine offers for recording.
 */
import { readdir, readFile, statfs } from 'node:fs/promises';
import { freemem, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { kallsymsState } from './kernel-symbols.js';
import { readTracing, type Tracing } from './tracing.js';

/** Intel PT as the kernel exposes it. */
export interface Pmu {
  readonly type: number;
  readonly caps: PmuCaps;
  /** Terms of the perf event: cyc, mtc_period, … */
  readonly terms: readonly string[];
  readonly addressFilters: number;
}

export interface PmuCaps {
  readonly psbCyc: boolean;
  readonly mtc: boolean;
  readonly ipFiltering: boolean;
  /** Bit n is set if value n is supported; the same for the next two. */
  readonly mtcPeriods: number;
  readonly cycleThresholds: number;
  readonly psbPeriods: number;
}

export interface Machine {
  readonly kernel: string;
  readonly cpu: {
    readonly vendor: string;
    readonly model: string;
    /** `intel_pt` is among the CPU's flags. */
    readonly hasPt: boolean;
    /** The CPU has the `hypervisor` flag: this is a virtual machine. */
    readonly isVirtual: boolean;
    readonly online: readonly number[];
  };
  /** null: this machine cannot record. */
  readonly pmu: Pmu | null;
  /** The kernel.* sysctls; null if unreadable. */
  readonly paranoid: number | null;
  readonly mlockKb: number | null;
  readonly kptrRestrict: number | null;
  /** Whether the kernel tells this user where its functions are; null: it tells nobody. */
  readonly kallsyms: 'readable' | 'hidden' | null;
  /** Samples a second that the kernel allows an event; null if unreadable. */
  readonly maxSampleRate: number | null;
  /** `ulimit -l`; Infinity if unlimited. */
  readonly lockableBytes: number;
  readonly availableBytes: number;
  readonly rights: Rights;
  readonly tracing: Tracing;
}

/** Effective capabilities. */
export interface Rights {
  readonly isRoot: boolean;
  readonly perfmon: boolean;
  readonly sysAdmin: boolean;
  readonly ipcLock: boolean;
  readonly sysPtrace: boolean;
}

/** Reads the machine below `root`, which tests point at a tree of their own. */
export async function probe(root = process.env['PTFLAME_TEST_ROOT'] ?? '/'): Promise<Machine> {
  const read = (path: string) =>
    readFile(join(root, path), 'utf8').then(
      (text) => text.trim(),
      () => '',
    );
  const [cpuinfo, online, kernel] = await Promise.all([
    read('proc/cpuinfo'),
    read('sys/devices/system/cpu/online'),
    read('proc/sys/kernel/osrelease'),
  ]);
  return {
    kernel,
    cpu: parseCpu(cpuinfo, online),
    pmu: await readPmu(root, read),
    paranoid: numberOrNull(await read('proc/sys/kernel/perf_event_paranoid')),
    mlockKb: numberOrNull(await read('proc/sys/kernel/perf_event_mlock_kb')),
    kptrRestrict: numberOrNull(await read('proc/sys/kernel/kptr_restrict')),
    kallsyms: await kallsymsState(root),
    maxSampleRate: numberOrNull(await read('proc/sys/kernel/perf_event_max_sample_rate')),
    lockableBytes: lockableBytes(await read('proc/self/limits')),
    availableBytes: availableBytes(await read('proc/meminfo')),
    rights: parseRights(await read('proc/self/status')),
    tracing: await readTracing(root),
  };
}

type Read = (path: string) => Promise<string>;

const PMU = 'sys/bus/event_source/devices/intel_pt';

async function readPmu(root: string, read: Read): Promise<Pmu | null> {
  const type = numberOrNull(await read(`${PMU}/type`));
  if (type === null) return null;
  const cap = (name: string) => read(`${PMU}/caps/${name}`);
  const terms = await readdir(join(root, PMU, 'format')).catch(() => []);
  return {
    type,
    caps: {
      psbCyc: (await cap('psb_cyc')) === '1',
      mtc: (await cap('mtc')) === '1',
      ipFiltering: (await cap('ip_filtering')) === '1',
      mtcPeriods: mask(await cap('mtc_periods')),
      cycleThresholds: mask(await cap('cycle_thresholds')),
      psbPeriods: mask(await cap('psb_periods')),
    },
    terms: terms.sort(),
    addressFilters: numberOrNull(await read(`${PMU}/nr_addr_filters`)) ?? 0,
  };
}

/** Parses a hexadecimal bit mask, with or without 0x. */
function mask(text: string): number {
  return Number.parseInt(text, 16) || 0;
}

function numberOrNull(text: string): number | null {
  return /^-?\d+$/.test(text) ? Number(text) : null;
}

function parseCpu(cpuinfo: string, online: string): Machine['cpu'] {
  const field = (name: string) => new RegExp(`^${name}\\s*: (.*)$`, 'm').exec(cpuinfo)?.[1] ?? '';
  const flags = field('flags').split(' ');
  return {
    vendor: field('vendor_id'),
    model: field('model name'),
    hasPt: flags.includes('intel_pt'),
    isVirtual: flags.includes('hypervisor'),
    online: online === '' ? [0] : cpuList(online),
  };
}

/** Parses "0-3,8". */
function cpuList(text: string): number[] {
  return text.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

function lockableBytes(limits: string): number {
  const soft = /^Max locked memory\s+(\S+)/m.exec(limits)?.[1];
  return soft === undefined || soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft);
}

function availableBytes(meminfo: string): number {
  const kb = /^MemAvailable:\s+(\d+) kB/m.exec(meminfo)?.[1];
  return kb === undefined ? freemem() : Number(kb) * 1024;
}

/** Bit numbers from linux/capability.h. */
const CAPABILITY = { ipcLock: 14n, sysPtrace: 19n, sysAdmin: 21n, perfmon: 38n } as const;

function parseRights(status: string): Rights {
  const effective = BigInt(`0x${/^CapEff:\s+([0-9a-f]+)/m.exec(status)?.[1] ?? '0'}`);
  const uid = /^Uid:\s+\d+\s+(\d+)/m.exec(status)?.[1];
  const has = (bit: bigint) => ((effective >> bit) & 1n) === 1n;
  return {
    isRoot: Number(uid ?? userInfo().uid) === 0,
    perfmon: has(CAPABILITY.perfmon),
    sysAdmin: has(CAPABILITY.sysAdmin),
    ipcLock: has(CAPABILITY.ipcLock),
    sysPtrace: has(CAPABILITY.sysPtrace),
  };
}

/** CAP_PERFMON and CAP_SYS_ADMIN lift the limits of perf_event_paranoid. */
export function canTraceEverything({ paranoid, rights }: Machine): boolean {
  return rights.perfmon || rights.sysAdmin || (paranoid ?? 2) < 0;
}

/** Returns how many threads a process has now; 1 if unknown. */
export async function threadCount(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  return Math.max(threads.length, 1);
}

/** Returns the names of threads, or of all threads of processes, as bytes of Latin-1; unknown ones are left out. */
export async function threadNames(ids: readonly number[], kind: 'processes' | 'threads'): Promise<string[]> {
  const read = (path: string) => readFile(path, 'latin1').catch(() => null);
  const threadsOf = (id: number) =>
    kind === 'threads' ? [String(id)] : readdir(`/proc/${id}/task`).catch((): string[] => []);
  const names = await Promise.all(
    ids.map(async (id) => Promise.all((await threadsOf(id)).map((tid) => read(`/proc/${tid}/comm`)))),
  );
  return [...new Set(names.flat())].flatMap((name) => (name === null ? [] : [name.replace(/\n$/, '')]));
}

/** Returns the free space in the directory of `path`; null if unknown. */
export async function freeDiskBytes(path: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(dirname(path));
    return bavail * bsize;
  } catch {
    return null;
  }
}
