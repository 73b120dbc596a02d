/**
 * What perf says when it fails, and what that means: a row for each failure. The first that matches counts.
 */
import type { ErrorCode } from '../../../src/text.js';

export interface Failure {
  /** In what perf wrote to standard error; its groups are handed on. */
  readonly match: RegExp;
  /** Absent: both say it. */
  readonly command?: 'record' | 'script';
  readonly code: ErrorCode;
  readonly message: (words: readonly string[]) => string;
  /** The remedy. */
  readonly hint: (words: readonly string[]) => string;
}

export const NO_PT_HINT =
  'record on a machine with an Intel CPU, not in a virtual machine; ptflame doctor tells what is missing, and recordings of other machines can be rendered here';

const SMALLER_BUFFERS = 'smaller buffers: -m 4M; or fewer of them: -C 0-3, or -p PID --per-thread';

const RECORD: readonly Failure[] = [
  {
    match: /Cannot find PMU `intel_pt'|Unable to find PMU or event on a PMU of 'intel_pt'/,
    code: 'NO_INTEL_PT',
    message: () => 'this machine has no Intel PT: its CPU, its kernel or its virtual machine does not offer it',
    hint: () => NO_PT_HINT,
  },
  {
    match: /event syntax error:[\s\S]*\\___ unknown term '?([\w-]*)/,
    code: 'NOT_OFFERED',
    message: ([, term]) => `the Intel PT of this CPU and kernel has no ${term === '' ? 'such term' : `"${term}"`}`,
    hint: () => 'what it has: ls /sys/bus/event_source/devices/intel_pt/format',
  },
  {
    match: /Invalid (\w+) for intel_pt\. Valid values are: (.*)/,
    code: 'NOT_OFFERED',
    message: ([, term]) => `the CPU does not offer this value of ${term}`,
    hint: ([, term, values]) => `--${term?.replaceAll('_', '-')} may be ${values}`,
  },
  {
    match: /Permission error mapping pages/,
    code: 'AUX_TOO_LARGE',
    message: () => 'the buffers are larger than this user may lock into memory',
    hint: () =>
      `${SMALLER_BUFFERS}; or raise the limit: sudo sysctl kernel.perf_event_mlock_kb=1048576 (or ulimit -l unlimited)`,
  },
  {
    match: /failed to mmap with 12 /i,
    code: 'AUX_TOO_LARGE',
    message: () => 'the buffers are larger than the memory that is free',
    hint: () => SMALLER_BUFFERS,
  },
  {
    match: /Invalid mmap size for Intel Processor Trace: must be at least (\w+) and a power of 2/,
    code: 'AUX_TOO_LARGE',
    message: ([, least]) => `the size of the buffers is to be a power of two, of ${least} at least`,
    hint: () => 'choose another one: -m 32M',
  },
  {
    match: /perf_event_paranoid setting is (-?\d+)|No permission to enable .* event/,
    code: 'NO_PERMISSION',
    message: ([, paranoid]) =>
      `the kernel does not let this user trace that${paranoid === '' ? '' : ` (kernel.perf_event_paranoid is ${paranoid})`}: ` +
      'whole CPUs, the kernel and processes of others need a right',
    hint: () =>
      'run it with sudo; or sudo sysctl kernel.perf_event_paranoid=-1; or trace a process of your own, with --user: -p PID, or -- CMD',
  },
  {
    match: /ERROR: kcore is not readable|Failed to copy kcore|requires CAP_SYS_RAWIO/,
    code: 'NO_PERMISSION',
    message: () =>
      "perf may not read the kernel's code (/proc/kcore), and without it the kernel's part cannot be decoded",
    hint: () => 'run it with sudo, on the machine itself; or leave out --kernel',
  },
  {
    match: /Couldn't create thread\/CPU maps: No such process/,
    code: 'NO_SUCH_TARGET',
    message: () => 'there is no such process',
    hint: () => 'find its number: pgrep -a NAME',
  },
  {
    match: /returned with 3 \(No such process\)/,
    code: 'NO_SUCH_TARGET',
    message: () => 'there is no such thread, or it ended just now',
    hint: () => 'list the threads of a process: ls /proc/PID/task',
  },
  {
    match: /Failed to initialize parallel data streaming masks/,
    code: 'NO_SUCH_TARGET',
    message: () => 'a processor that was asked for does not exist, or is offline',
    hint: () => 'those that are there: cat /sys/devices/system/cpu/online',
  },
  {
    match: /Failed to collect '.*' for the '(.*)' workload: (.*)/,
    code: 'NO_SUCH_TARGET',
    message: ([, command, why]) => `cannot run ${command}: ${why}`,
    hint: () => 'name a program that can be run, after --: ptflame record -- ./program arguments',
  },
  {
    match: /returned with 16 \(Device or resource busy\)/,
    code: 'PT_IN_USE',
    message: () => 'Intel PT is in use: by another recording, or by a hypervisor',
    hint: () => 'see who records: pgrep -a perf; end it, or wait for its end',
  },
  {
    match: /Invalid event \(.*\) in per-thread mode, enable system wide with '-a'|returned with (?:22|95) \(/,
    code: 'NOT_OFFERED',
    message: () => 'the kernel refuses this combination of options',
    hint: () =>
      'leave out --per-thread, --kernel and the options of the CPU (--cyc, --mtc-period, --psb-period), one after the other',
  },
  {
    match: /This CPU does not support address filtering/,
    code: 'NOT_OFFERED',
    message: () => 'this CPU does not support address filters',
    hint: () => 'leave out --filter and --only, and select afterwards: ptflame render --tid, --pid, --cpu',
  },
  {
    match: /Multiple symbols with name '(.*)'/,
    code: 'NO_SUCH_TARGET',
    message: ([, name]) => `the filter names a function that there is more than once: ${name}`,
    hint: ([, name]) =>
      `say which one: '${name} #2' for the second of the list below, or '${name} #g' for the global one`,
  },
  {
    match: /Symbol '(.*)' not found/,
    code: 'NO_SUCH_TARGET',
    message: ([, name]) => `the filter names a function that is not there: ${name}`,
    hint: () =>
      'its name as the file has it: nm --defined-only BINARY (C++: the mangled one); a stripped file has none',
  },
  {
    match: /Failed to parse address filter: '(.*)'/i,
    code: 'NOT_OFFERED',
    message: ([, filter]) => `perf does not understand the filter: ${filter}`,
    hint: () =>
      "its form: --filter 'filter main @ /usr/bin/x'; also start, stop, tracestop, and FROM / SIZE in place of a name",
  },
  {
    match: /failed to set filter "(.*)" on event .* with \d+ \((.*)\)/i,
    code: 'NOT_OFFERED',
    message: ([, filter, why]) => `the kernel refuses the filter ${filter}: ${why}`,
    hint: () => 'how many the CPU has: cat /sys/bus/event_source/devices/intel_pt/nr_addr_filters',
  },
  {
    match: /AUX area tracing snapshot failed|No AUX area tracing to snapshot/,
    code: 'PERF_FAILED',
    message: () => 'perf could not take the snapshot',
    hint: () => 'take it while the program runs; record without --snapshot if it fails again',
  },
  {
    match: /No space left on device/,
    code: 'OUTPUT_UNWRITABLE',
    message: () => 'the disk is full: perf could not write its recording',
    hint: () => 'choose another place with -o, a shorter -t, or trace less: -C, --tid, --only',
  },
  {
    match: /[Ff]ailed to open (.*?) ?: (No such file or directory|Permission denied|Is a directory|.*)/,
    command: 'record',
    code: 'OUTPUT_UNWRITABLE',
    message: ([, path, why]) =>
      `cannot write ${path}: ${why === 'No such file or directory' ? 'its directory does not exist' : why}`,
    hint: () => 'choose another place with -o',
  },
  {
    match: /Failed to open '(.*)'/,
    command: 'record',
    code: 'PERF_FAILED',
    message: ([, path]) => `perf cannot open its control pipe ${path}`,
    hint: () => 'the directory of temporary files must be writable: set TMPDIR to another one',
  },
];

const SCRIPT: readonly Failure[] = [
  {
    match: /failed to open (.*?) ?: (.*)/,
    command: 'script',
    code: 'INPUT_UNREADABLE',
    message: ([, path, why]) => `cannot open ${path}: ${why === 'No such file or directory' ? 'no such file' : why}`,
    hint: () => 'name a recording of perf record',
  },
  {
    match: /incompatible file format/,
    code: 'INPUT_KIND',
    message: () => 'this is no recording that perf can read: not of perf record, or cut short',
    hint: () => 'name the file that perf record wrote; one of a much newer perf wants that perf: --perf PATH',
  },
  {
    match: /data size field is 0 which is unexpected/,
    code: 'RECORDING_DAMAGED',
    message: () => 'the recording was not written to its end: perf record was killed, or still runs',
    hint: () => 'record again, and end perf by Ctrl-C, not by kill -9',
  },
  {
    match: /File (.*) not owned by current user or root/,
    code: 'NO_PERMISSION',
    message: ([, path]) => `${path} belongs to another user, and perf reads only its own user's recordings`,
    hint: () => 'make it yours: sudo chown $(id -u) FILE; or copy it: cp FILE mine.data',
  },
  {
    match: /no first\/last sample time found in perf data/,
    code: 'NOT_RECORDED',
    message: () => 'the recording does not say when it begins and ends, so it cannot be cut by time',
    hint: () => 'decode it whole, or record it with --timestamp-boundary',
  },
  {
    match: /File does not contain CPU events/,
    code: 'NOT_RECORDED',
    message: () => 'the recording is of threads, not of CPUs: it cannot be cut by CPU',
    hint: () => 'leave out --cpu',
  },
  {
    match: /Requested CPU (\d+) too large/,
    code: 'NOT_RECORDED',
    message: ([, cpu]) => `the machine of the recording had no CPU ${cpu}`,
    hint: () => 'leave out --cpu, or choose another one',
  },
  {
    match: /do not have (\w+) attribute set\. Cannot print/,
    code: 'NO_BRANCHES',
    message: ([, field]) => `the recording has no branches of Intel PT: its samples have no ${field?.toLowerCase()}`,
    hint: () => 'record with Intel PT: ptflame record, or perf record -e intel_pt//u',
  },
  {
    match: /missing (sched_switch event|context_switch attribute flag)/,
    code: 'RECORDING_DAMAGED',
    message: () => 'the recording does not say which thread ran when: its switch events were removed',
    hint: () => 'record again, without --no-switch-events, and do not filter the file',
  },
];

/** What a distribution puts in the place of a perf that is not installed says so in its own words. */
const MISSING: readonly Failure[] = [
  {
    match: /perf not found for kernel (\S+)/,
    code: 'PERF_MISSING',
    message: ([, kernel]) => `perf is not installed for this kernel (${kernel})`,
    hint: ([, kernel]) => `sudo apt install linux-tools-${kernel}; or name one with --perf PATH`,
  },
  {
    match: /E: (linux-perf\S*) is not installed/,
    code: 'PERF_MISSING',
    message: ([, name]) => `perf is not installed: ${name} is missing`,
    hint: ([, name]) => `sudo apt install ${name}; or name one with --perf PATH`,
  },
];

export const FAILURES: readonly Failure[] = [...MISSING, ...RECORD, ...SCRIPT];
