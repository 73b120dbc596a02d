/**
 * The failures that perf reports: a row for each, with its meaning and remedy. The first match wins.
 */
import type { ErrorCode } from '../../src/model/errors.js';

export interface Failure {
  /** Searched in perf's standard error; its groups are passed to `message` and `hint`. */
  readonly match: RegExp;
  /** Absent: both commands. */
  readonly command?: 'record' | 'script';
  readonly code: ErrorCode;
  readonly message: (groups: readonly string[]) => string;
  readonly hint: (groups: readonly string[]) => string;
}

export const NO_PT_HINT =
  'ptflame record --no-trace --waits records waits without it; to record calls, use a physical machine with an Intel CPU; ptflame doctor shows what is missing; recordings from other machines can be rendered here';

const SMALLER_BUFFERS = 'use smaller buffers (-m 4M) or fewer (-C 0-3, or -p PID --per-thread)';

const RECORD: readonly Failure[] = [
  {
    match: /Cannot find PMU `intel_pt'|Unable to find PMU or event on a PMU of 'intel_pt'/,
    code: 'NO_INTEL_PT',
    message: () => 'this machine has no Intel PT: its CPU, kernel or hypervisor does not provide it',
    hint: () => NO_PT_HINT,
  },
  {
    match: /event syntax error:[\s\S]*\\___ unknown term '?([\w-]*)/,
    code: 'NOT_OFFERED',
    message: ([, term]) => `Intel PT on this CPU and kernel has no ${term === '' ? 'such term' : `term "${term}"`}`,
    hint: () => 'list its terms: ls /sys/bus/event_source/devices/intel_pt/format',
  },
  {
    match: /Invalid (\w+) for intel_pt\. Valid values are: (.*)/,
    code: 'NOT_OFFERED',
    message: ([, term]) => `the CPU does not support this value of ${term}`,
    hint: ([, term, values]) => `values of --${term?.replaceAll('_', '-')}: ${values}`,
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
    message: () => 'the buffers are larger than the free memory',
    hint: () => SMALLER_BUFFERS,
  },
  {
    match: /Invalid mmap size for Intel Processor Trace: must be at least (\w+) and a power of 2/,
    code: 'AUX_TOO_LARGE',
    message: ([, minimum]) => `the buffer size must be a power of two, at least ${minimum}`,
    hint: () => 'choose another size: -m 32M',
  },
  {
    match: /perf_event_paranoid setting is (-?\d+)|No permission to enable .* event/,
    code: 'NO_PERMISSION',
    message: ([, paranoid]) =>
      `no permission${paranoid === '' ? '' : ` (kernel.perf_event_paranoid is ${paranoid})`}: ` +
      "tracing whole CPUs, the kernel or other users' processes needs privileges",
    hint: () =>
      'use sudo; or sudo sysctl kernel.perf_event_paranoid=-1; or trace a process of your own with --user: -p PID or -- CMD',
  },
  {
    match: /ERROR: kcore is not readable|Failed to copy kcore|requires CAP_SYS_RAWIO/,
    code: 'NO_PERMISSION',
    message: () => "no permission to read the kernel's code (/proc/kcore), which decoding of the kernel needs",
    hint: () => 'use sudo on the machine itself; or omit --kernel',
  },
  {
    match: /Couldn't create thread\/CPU maps: No such process/,
    code: 'NO_SUCH_TARGET',
    message: () => 'no such process',
    hint: () => 'find its PID: pgrep -a NAME',
  },
  {
    match: /returned with 3 \(No such process\)/,
    code: 'NO_SUCH_TARGET',
    message: () => 'no such thread, or it has just ended',
    hint: () => 'list the threads of a process: ls /proc/PID/task',
  },
  {
    match: /Failed to initialize parallel data streaming masks/,
    code: 'NO_SUCH_TARGET',
    message: () => 'a requested CPU does not exist or is offline',
    hint: () => 'list the CPUs online: cat /sys/devices/system/cpu/online',
  },
  {
    match: /Failed to collect '.*' for the '(.*)' workload: (.*)/,
    code: 'NO_SUCH_TARGET',
    message: ([, command, why]) => `cannot run ${command}: ${why}`,
    hint: () => 'pass an executable program after --: ptflame record -- ./program arguments',
  },
  {
    match: /returned with 16 \(Device or resource busy\)/,
    code: 'PT_IN_USE',
    message: () => 'Intel PT is in use by another recording or a hypervisor',
    hint: () => 'find the other recording: pgrep -a perf; end it or wait for it',
  },
  {
    match: /Invalid event \(.*\) in per-thread mode, enable system wide with '-a'|returned with (?:22|95) \(/,
    code: 'NOT_OFFERED',
    message: () => 'the kernel refuses this combination of options',
    hint: () =>
      'omit --per-thread, --kernel and the options of the CPU (--cyc, --mtc-period, --psb-period), one at a time',
  },
  {
    match: /This CPU does not support address filtering/,
    code: 'NOT_OFFERED',
    message: () => 'this CPU does not support address filters',
    hint: () => 'omit --filter and --only; select when rendering instead: ptflame render --tid, --pid, --cpu',
  },
  {
    match: /Multiple symbols with name '(.*)'/,
    code: 'NO_SUCH_TARGET',
    message: ([, name]) => `several functions match the filter: ${name}`,
    hint: ([, name]) => `choose one: '${name} #2' for the second of the list below, '${name} #g' for the global one`,
  },
  {
    match: /Symbol '(.*)' not found/,
    code: 'NO_SUCH_TARGET',
    message: ([, name]) => `the binary has no function for the filter: ${name}`,
    hint: () => 'list its functions: nm --defined-only BINARY (C++: use the mangled name); a stripped binary has none',
  },
  {
    match: /Failed to parse address filter: '(.*)'/i,
    code: 'NOT_OFFERED',
    message: ([, filter]) => `perf does not understand the filter: ${filter}`,
    hint: () =>
      "use, for example, --filter 'filter main @ /usr/bin/x'; also start, stop, tracestop, and FROM / SIZE instead of a name",
  },
  {
    match: /failed to set filter "(.*)" on event .* with \d+ \((.*)\)/i,
    code: 'NOT_OFFERED',
    message: ([, filter, why]) => `the kernel refuses the filter ${filter}: ${why}`,
    hint: () => 'check how many filters the CPU has: cat /sys/bus/event_source/devices/intel_pt/nr_addr_filters',
  },
  {
    match: /AUX area tracing snapshot failed|No AUX area tracing to snapshot/,
    code: 'PERF_FAILED',
    message: () => 'perf could not take the snapshot',
    hint: () => 'take it while the program runs; if it fails again, record without --snapshot',
  },
  {
    match: /No space left on device/,
    code: 'OUTPUT_UNWRITABLE',
    message: () => 'the disk is full: perf could not write the recording',
    hint: () => 'choose another directory with -o, a shorter -t, or trace less: -C, --tid, --only',
  },
  {
    match: /[Ff]ailed to open (.*?) ?: (No such file or directory|Permission denied|Is a directory|.*)/,
    command: 'record',
    code: 'OUTPUT_UNWRITABLE',
    message: ([, path, why]) =>
      `cannot write ${path}: ${why === 'No such file or directory' ? 'its directory does not exist' : why}`,
    hint: () => 'choose another directory with -o',
  },
  {
    match: /Failed to open '(.*)'/,
    command: 'record',
    code: 'PERF_FAILED',
    message: ([, path]) => `perf cannot open its control pipe ${path}`,
    hint: () => 'set TMPDIR to a writable directory',
  },
];

const SCRIPT: readonly Failure[] = [
  {
    match: /failed to open (.*?) ?: (.*)/,
    command: 'script',
    code: 'INPUT_UNREADABLE',
    message: ([, path, why]) => `cannot open ${path}: ${why === 'No such file or directory' ? 'no such file' : why}`,
    hint: () => 'pass a recording made by perf record',
  },
  {
    match: /incompatible file format/,
    code: 'INPUT_KIND',
    message: () => 'perf cannot read this file: it is not a recording, or it is cut short',
    hint: () => 'pass a file that perf record wrote; one from a much newer perf needs that perf: --perf PATH',
  },
  {
    match: /data size field is 0 which is unexpected/,
    code: 'RECORDING_DAMAGED',
    message: () => 'the recording is incomplete: perf record was killed or is still running',
    hint: () => 'record again, and end perf with Ctrl-C, not with kill -9',
  },
  {
    match: /File (.*) not owned by current user or root/,
    code: 'NO_PERMISSION',
    message: ([, path]) => `${path} belongs to another user, and perf reads only your own recordings`,
    hint: () => 'change its owner: sudo chown $(id -u) FILE; or copy it: cp FILE mine.data',
  },
  {
    match: /no first\/last sample time found in perf data/,
    code: 'NOT_RECORDED',
    message: () => 'the recording has no start and end time, so it cannot be split by time',
    hint: () => 'decode all of it, or record with --timestamp-boundary',
  },
  {
    match: /File does not contain CPU events/,
    code: 'NOT_RECORDED',
    message: () => 'the recording has a buffer per thread, not per CPU, so it cannot be split by CPU',
    hint: () => 'omit --cpu',
  },
  {
    match: /Requested CPU (\d+) too large/,
    code: 'NOT_RECORDED',
    message: ([, cpu]) => `the recorded machine had no CPU ${cpu}`,
    hint: () => 'omit --cpu, or choose another CPU',
  },
  {
    match: /do not have (\w+) attribute set\. Cannot print/,
    code: 'NO_BRANCHES',
    message: ([, field]) => `the recording has no Intel PT branches: its samples have no ${field?.toLowerCase()}`,
    hint: () => 'record with Intel PT: ptflame record, or perf record -e intel_pt//u',
  },
  {
    match: /missing (sched_switch event|context_switch attribute flag)/,
    code: 'RECORDING_DAMAGED',
    message: () => 'the recording lacks its context switches, which show which thread ran when',
    hint: () => 'record again without --no-switch-events, and do not filter the file',
  },
];

/** Messages of the wrappers that distributions install instead of perf. */
const MISSING: readonly Failure[] = [
  {
    match: /perf not found for kernel (\S+)/,
    code: 'PERF_MISSING',
    message: ([, kernel]) => `perf is not installed for this kernel (${kernel})`,
    hint: ([, kernel]) => `sudo apt install linux-tools-${kernel}; or pass another perf with --perf PATH`,
  },
  {
    match: /E: (linux-perf\S*) is not installed/,
    code: 'PERF_MISSING',
    message: ([, name]) => `perf is not installed: ${name} is missing`,
    hint: ([, name]) => `sudo apt install ${name}; or pass another perf with --perf PATH`,
  },
];

export const FAILURES: readonly Failure[] = [...MISSING, ...RECORD, ...SCRIPT];
