/**
 * Checks what recording needs of the machine and of perf: a result and a remedy for each.
 */

import * as z from 'zod';
import type { PtflameError } from '../../src/model/errors.js';
import { formatBytes } from '../../src/render/format.js';
import { noPtReason } from '../perf/failures.js';
import { type Buffers, canLock, lockableBytesPerBuffer, totalBytes } from './buffers.js';
import { canTraceEverything, type Machine } from './machine/probe.js';
import { isAtLeast, type PerfVersion } from './machine/version.js';
import { MAKE_READABLE, MOUNT, OTHER_KERNEL, TRACEPOINTS } from './tracepoints.js';
import { MAX_EXITS } from './trigger/plan.js';

const ELSEWHERE = 'record on a physical Intel machine; recordings from there can be rendered here';

export function runChecks(input: DoctorInput): Check[] {
  const { machine } = input;
  const pt = [cpuCheck(machine), ...pmuChecks(machine)];
  const rights = [paranoidCheck(machine), rightsCheck(machine), mlockCheck(input), kernelCodeCheck(machine)];
  return [...pt, ...rights, ...perfChecks(input), memoryCheck(input), diskCheck(input), ...waitsChecks(input)];
}

function cpuCheck(machine: Machine): Check {
  const { cpu, pmu } = machine;
  if (cpu.hasPt || pmu) return ok('cpu', `${cpu.model || cpu.vendor || 'unknown CPU'} has Intel PT`);
  // What the processor below a virtual machine has is unknown, so its age is not the remedy.
  const newer = 'record on another machine: Intel Core from 2015 or newer, Xeon from 2016 or newer';
  return fail('cpu', noPtText(machine), cpu.isVirtual ? ELSEWHERE : newer);
}

/** Nothing about the kernel if the CPU has no Intel PT. */
function pmuChecks(machine: Machine): Check[] {
  const { cpu, pmu } = machine;
  if (pmu) return [ok('pmu', `the kernel supports Intel PT (intel_pt, PMU ${pmu.type})`), ...capsChecks(pmu)];
  return cpu.hasPt ? [fail('pmu', noPtText(machine), ELSEWHERE)] : [];
}

function noPtText(machine: Machine): string {
  return `this machine has no Intel PT: ${noPtReason(machine)}`;
}

function capsChecks({ caps, addressFilters }: NonNullable<Machine['pmu']>): Check[] {
  const times = caps.psbCyc
    ? ok('times', 'cycle-accurate times (psb_cyc)')
    : warn('times', 'no cycle-accurate times (psb_cyc is 0): accurate to about 1 µs', null);
  const without = caps.mtc ? times : warn('times', `${times.text}; no coarse clock in the trace (mtc is 0)`, null);
  const filters =
    caps.ipFiltering && addressFilters > 0
      ? ok('filters', `${addressFilters} address filters (--filter, --only)`)
      : warn('filters', 'no address filters: --filter and --only do not work', null);
  return [without, filters];
}

/** Unprivileged users may trace their own programs (2), those in the kernel (1), whole CPUs (0), or everything (-1). */
function paranoidCheck(machine: Machine): Check {
  const { paranoid } = machine;
  const text = `kernel.perf_event_paranoid is ${paranoid ?? 'unreadable'}`;
  if (paranoid === null)
    return fail('paranoid', `${text}: the kernel was built without perf events`, 'boot another kernel');
  if (canTraceEverything(machine)) return ok('paranoid', `${text}; this user may trace everything`);
  const all = 'sudo sysctl kernel.perf_event_paranoid=-1';
  if (paranoid > 2)
    return fail('paranoid', `${text}: this user may trace nothing`, `${all} (2 is enough for your own programs)`);
  if (paranoid > 0)
    return warn(
      'paranoid',
      `${text}: your own processes only; no -C, no -a${paranoid > 1 ? ', no --kernel' : ''}`,
      all,
    );
  return ok('paranoid', `${text}: your own processes and whole CPUs`);
}

function rightsCheck({ rights, paranoid }: Machine): Check {
  if (rights.perfmon || rights.sysAdmin)
    return rights.sysPtrace || rights.sysAdmin
      ? ok('rights', `${rights.isRoot ? 'root' : 'this user'} may trace other users' processes`)
      : warn('rights', 'CAP_PERFMON without CAP_SYS_PTRACE: your own processes only', SETCAP);
  if (rights.isRoot)
    return warn(
      'rights',
      'root without CAP_PERFMON, as in a container: no more rights than any user',
      'docker run --cap-add PERFMON --cap-add SYS_PTRACE …',
    );
  if ((paranoid ?? 2) < 0) return ok('rights', 'an unprivileged user; paranoid -1 allows everything');
  return warn('rights', 'an unprivileged user: your own processes only', `sudo ptflame record …; or ${SETCAP}`);
}

const SETCAP = 'sudo setcap cap_perfmon,cap_sys_ptrace,cap_ipc_lock=ep $(readlink -f $(command -v perf))';

function mlockCheck({ machine, buffers }: DoctorInput): Check {
  const each = lockableBytesPerBuffer(machine, buffers.count);
  if (each === Number.POSITIVE_INFINITY) return ok('mlock', 'this user may lock buffers of any size');
  const have = `this user may lock ${formatBytes(each)} for each of ${buffers.count} buffers`;
  const size = formatBytes(buffers.auxBytes);
  const remedy = 'sudo sysctl kernel.perf_event_mlock_kb=65536';
  if (!canLock(machine, buffers)) return warn('mlock', `${have}: not enough for ${size}`, `${remedy}; or a smaller -m`);
  if (buffers.auxBytes >= 4 * 1024 * 1024) return ok('mlock', have);
  return warn('mlock', `${have}: small buffers (${size}) lose data on busy CPUs`, remedy);
}

function kernelCodeCheck({ rights, kptrRestrict }: Machine): Check {
  if (rights.isRoot && rights.sysAdmin)
    return ok('kernel-code', "the kernel's code and symbols are readable (--kernel)");
  const why = `kernel.kptr_restrict is ${kptrRestrict ?? 'unreadable'}`;
  return warn(
    'kernel-code',
    `--kernel needs root, for /proc/kcore and symbols (${why})`,
    'sudo ptflame record --kernel …',
  );
}

const NEWER_PERF = 'install a newer perf and pass it with --perf PATH';

/** Recordings are rendered without perf. */
function perfChecks({ perf, buildOptions, machine }: DoctorInput): Check[] {
  if (perf instanceof Error) {
    if (perf.code !== 'PERF_MISSING') return [fail('perf', perf.message, perf.hint)];
    const text = `${perf.message}; only recording needs perf`;
    return [machine.pmu === null ? ok('perf', text) : fail('perf', text, perf.hint)];
  }
  const version = isAtLeast(perf, 5, 10)
    ? ok('perf', `perf ${perf.text}`)
    : warn('perf', `perf ${perf.text}: before 5.10, recordings start and end less precisely`, NEWER_PERF);
  return [version, buildCheck(buildOptions)];
}

function buildCheck(buildOptions: ReadonlyMap<string, boolean>): Check {
  if (buildOptions.get('HAVE_AUXTRACE_SUPPORT') === false)
    return fail(
      'perf-build',
      'perf was built without Intel PT (auxtrace is OFF)',
      "install the distribution's perf and pass it with --perf PATH",
    );
  if (buildOptions.get('HAVE_LIBELF_SUPPORT') === false)
    return warn(
      'perf-build',
      'perf was built without libelf: functions will have no names',
      "install the distribution's perf and pass it with --perf PATH",
    );
  if (buildOptions.size === 0) return ok('perf-build', 'perf does not show its build options');
  return ok('perf-build', 'perf was built with Intel PT and symbols');
}

const MAX_MEMORY_SHARE = 0.8;

function memoryCheck({ machine, buffers }: DoctorInput): Check {
  const needed = totalBytes(buffers);
  const text = `buffers for ${buffers.count} CPUs: ${formatBytes(needed)} of ${formatBytes(machine.availableBytes)} available`;
  if (needed <= machine.availableBytes * MAX_MEMORY_SHARE) return ok('memory', text);
  return warn('memory', `${text}: too much`, 'ptflame record -m 4M …, or fewer CPUs: -C 0-3');
}

const AMPLE_DISK_BYTES = 2e9;

function diskCheck({ output, freeDiskBytes }: DoctorInput): Check {
  if (freeDiskBytes === null)
    return warn('disk', `free disk space for ${output} is unknown`, 'choose another directory: -o DIR/perf.data');
  const text = `${formatBytes(freeDiskBytes)} free for ${output}`;
  if (freeDiskBytes >= AMPLE_DISK_BYTES) return ok('disk', text);
  return warn(
    'disk',
    `${text}: a busy CPU writes up to 0.5 GB per second`,
    'choose another directory: -o DIR/perf.data',
  );
}

/** Checks what recording of waits, probes and slow calls needs. */
function waitsChecks(input: DoctorInput): Check[] {
  if (input.perf instanceof Error) return [leftoversCheck(input)]; // the check of perf says it all
  return [waitsCheck(input), probesCheck(input), triggersCheck(input, input.perf), leftoversCheck(input)];
}

function waitsCheck({ machine }: DoctorInput): Check {
  const { directory, isReadable, missing } = machine.tracing;
  if (directory === null) return warn('waits', 'no --waits: tracefs is not mounted', MOUNT);
  if (!isReadable) return warn('waits', `no --waits: this user may not read ${directory}`, MAKE_READABLE);
  if (missing.length > 0) return warn('waits', `no --waits: the kernel has no ${missing.join(', ')}`, OTHER_KERNEL);
  if (!canTraceEverything(machine))
    return warn('waits', 'no --waits: this user may not record tracepoints', TRACEPOINTS);
  return ok('waits', 'waits and wakings can be recorded (--waits), with and without Intel PT (--no-trace)');
}

function probesCheck({ machine, buildOptions }: DoctorInput): Check {
  const lack = lackForProbes(machine, '--probe');
  if (lack !== null) return warn('probes', `no --probe: ${lack.why}`, lack.remedy);
  const dwarf = buildOptions.get('HAVE_DWARF_SUPPORT') ?? buildOptions.get('HAVE_LIBDW_SUPPORT');
  const limit = dwarf === false ? '; registers and memory only, no variables: perf was built without libdw' : '';
  return ok('probes', `probes can be added (--probe)${limit}`);
}

/** Returns why this user cannot add probes, for the option that needs them; null: they can. */
function lackForProbes(machine: Machine, option: string): { readonly why: string; readonly remedy: string } | null {
  const { directory, canProbe } = machine.tracing;
  if (directory === null) return { why: 'tracefs is not mounted', remedy: MOUNT };
  if (canProbe === null) return { why: 'the kernel has no uprobes', remedy: OTHER_KERNEL };
  if (canProbe && canTraceEverything(machine)) return null;
  return { why: 'only root may add probes', remedy: `sudo ptflame record ${option} …` };
}

function triggersCheck({ machine, hasBreakpoints }: DoctorInput, perf: PerfVersion): Check {
  const none = (why: string, remedy: string) => warn('triggers', `no --trigger FUNCTION: ${why}`, remedy);
  if (!isAtLeast(perf, 5, 10)) return none(`perf ${perf.text} is older than 5.10`, NEWER_PERF);
  const lack = lackForProbes(machine, '--trigger FUNCTION');
  if (hasBreakpoints === null)
    return none('perf cannot count a breakpoint of the CPU', 'perf stat -e mem:0x1000:x:u -- true says why');
  const can = 'slow calls can be caught (--trigger FUNCTION) with';
  if (hasBreakpoints) {
    const limit = lack === null ? '' : `, in functions with up to ${MAX_EXITS} returns; more need probes: ${lack.why}`;
    return ok('triggers', `${can} breakpoints${limit}`);
  }
  const never = `the breakpoints of this ${machine.cpu.isVirtual ? 'virtual machine' : 'CPU'} are never hit`;
  return lack === null
    ? ok('triggers', `${can} probes: ${never}`)
    : none(`${never}, and probes cannot replace them: ${lack.why}`, lack.remedy);
}

function leftoversCheck({ machine }: DoctorInput): Check {
  const { leftovers } = machine.tracing;
  if (leftovers.length === 0) return ok('leftovers', 'no probes of killed recordings');
  return warn(
    'leftovers',
    `probes of killed recordings, which cost nothing: ${leftovers.join(', ')}`,
    'sudo ptflame doctor --fix',
  );
}

/** What the checks are made from, and their results. */
interface DoctorInput {
  readonly machine: Machine;
  /** The error if perf is missing or broken. */
  readonly perf: PerfVersion | PtflameError;
  readonly buildOptions: ReadonlyMap<string, boolean>;
  /** The CPU's breakpoints are hit; null: that cannot be tried. */
  readonly hasBreakpoints: boolean | null;
  /** For a recording of all CPUs. */
  readonly buffers: Buffers;
  readonly output: string;
  readonly freeDiskBytes: number | null;
}

type Name = Check['check'];

const ok = (check: Name, text: string): Check => ({ check, level: 'ok', text, remedy: null });
const warn = (check: Name, text: string, remedy: string | null): Check => ({
  check,
  level: 'warn',
  text,
  remedy,
});
const fail = (check: Name, text: string, remedy: string | null): Check => ({
  check,
  level: 'fail',
  text,
  remedy,
});

/** The output of `ptflame doctor --json`. docs/recording.md explains it. */
export const Check = z.object({
  /** The check's name. Names are stable; texts may change. */
  check: z.enum([
    'cpu',
    'pmu',
    'times',
    'filters',
    'paranoid',
    'rights',
    'mlock',
    'kernel-code',
    'perf',
    'perf-build',
    'memory',
    'disk',
    'waits',
    'probes',
    'triggers',
    'leftovers',
  ]),
  /** fail: cannot record at all; warn: can record only in part. */
  level: z.enum(['ok', 'warn', 'fail']),
  text: z.string(),
  /** A command to copy or other advice; null if there is nothing to do. */
  remedy: z.string().nullable(),
});
export type Check = z.infer<typeof Check>;

export const DoctorReport = z.object({
  version: z.literal(1),
  /** True if no check failed. */
  canRecord: z.boolean(),
  checks: z.array(Check),
});
export type DoctorReport = z.infer<typeof DoctorReport>;
