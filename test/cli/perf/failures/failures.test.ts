/**
 * Turns messages of real perfs that failed into errors with remedies.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type PerfEnd, perfFailure } from '../../../../cli/perf/failures.js';
import { fixturePath } from '../../../helpers/cli/run-cli.js';

/** For each file: perf's exit code, our error code, message and remedy. */
const FILES: Record<string, readonly [exitCode: number, code: string, message: RegExp, hint: RegExp]> = {
  'bad-cpu': [237, 'NO_SUCH_TARGET', /requested CPU does not exist/, /cpu\/online/],
  'bad-pid': [244, 'NO_SUCH_TARGET', /no such process/, /pgrep/],
  'bad-tid': [255, 'NO_SUCH_TARGET', /no such thread/, /ls \/proc\/PID\/task/],
  'control-fifo-missing': [129, 'PERF_FAILED', /control pipe \/nonexist\/ctl\.fifo/, /TMPDIR/],
  'mlock-limit': [255, 'AUX_TOO_LARGE', /lock into memory/, /-m 4M.*perf_event_mlock_kb/],
  'no-address-filters': [129, 'NOT_OFFERED', /address filters/, /--only/],
  'no-intel-pt-pmu': [129, 'NO_INTEL_PT', /no Intel PT/, /ptflame doctor/],
  'no-permission-foreign-pid': [
    255,
    'NO_PERMISSION',
    /perf_event_paranoid is 2/,
    /sudo sysctl kernel.perf_event_paranoid/,
  ],
  'no-permission-system-wide': [255, 'NO_PERMISSION', /whole CPUs/, /sudo/],
  'output-dir-missing': [255, 'OUTPUT_UNWRITABLE', /cannot write \/nonexist\/a\.data: its directory/, /-o/],
  'script-addr-field-on-non-pt': [255, 'NO_BRANCHES', /no Intel PT branches/, /ptflame record/],
  'script-aux-lost-and-decode-errors': [255, 'PERF_FAILED', /exit code 255/, /doctor/], // warnings, not the cause
  'script-cpu-on-per-thread': [255, 'NOT_RECORDED', /per thread, not per CPU/, /--cpu/],
  'script-no-file': [255, 'INPUT_UNREADABLE', /cannot open \/nonexist\.data: no such file/, /perf record/],
  'script-not-owner': [255, 'NO_PERMISSION', /own\.data belongs to another user/, /chown/],
  'script-not-perf-data': [255, 'INPUT_KIND', /not a recording/, /perf record/],
  'script-time-percent-no-times': [234, 'NOT_RECORDED', /no start and end time/, /--timestamp-boundary/],
  'script-truncated-header': [255, 'INPUT_KIND', /cut short/, /perf record/],
  'script-zero-size': [255, 'RECORDING_DAMAGED', /killed or is still running/, /record again/],
  'snapshot-without-aux': [234, 'PERF_FAILED', /snapshot/, /--snapshot/],
  'workload-missing': [255, 'NO_SUCH_TARGET', /cannot run \/nonexistent\/cmd: No such file/, /after --/],
};

const end = (stderr: string, more: Partial<PerfEnd> = {}): PerfEnd => ({
  command: 'record',
  exitCode: 255,
  signal: undefined,
  stderr,
  ...more,
});

test('covers every file of real messages', () => {
  const names = readdirSync(fixturePath('perf-stderr')).map((name) => name.replace(/\.txt$/, ''));
  expect(names.sort()).toEqual(Object.keys(FILES).sort());
});

test.for(Object.entries(FILES))('%s', ([name, [exitCode, code, message, hint]]) => {
  const stderr = readFileSync(fixturePath(`perf-stderr/${name}.txt`), 'utf8');
  const error = perfFailure(end(stderr, { command: name.startsWith('script') ? 'script' : 'record', exitCode }));
  expect(error).toMatchObject({ code, message: expect.stringMatching(message), hint: expect.stringMatching(hint) });
  expect(error.output.length).toBeGreaterThan(0);
  expect(error.output.length).toBeLessThanOrEqual(8);
  expect(error.output.join('\n')).not.toContain('Usage:');
});

/** From perf's sources and other versions, as no machine at hand prints them. */
const OTHERS: readonly (readonly [stderr: string, code: string, message: RegExp])[] = [
  [
    "event syntax error: 'intel_pt//u'\n   \\___ Bad event or PMU\n\nUnable to find PMU or event on a PMU of 'intel_pt'",
    'NO_INTEL_PT',
    /no Intel PT/,
  ],
  [
    "event syntax error: 'intel_pt/cyk/u'\n   \\___ unknown term 'cyk' for pmu 'intel_pt'\n\nvalid terms: cyc",
    'NOT_OFFERED',
    /no term "cyk"/,
  ],
  ['Invalid cyc_thresh for intel_pt. Valid values are: 0-12', 'NOT_OFFERED', /value of cyc_thresh/],
  ['Error:\nNo permission to enable intel_pt//u event.\n', 'NO_PERMISSION', /no permission/],
  ['failed to mmap with 12 (Cannot allocate memory)', 'AUX_TOO_LARGE', /free memory/],
  ['Invalid mmap size for Intel Processor Trace: must be at least 8KiB and a power of 2', 'AUX_TOO_LARGE', /8KiB/],
  [
    'The sys_perf_event_open() syscall returned with 16 (Device or resource busy) for event (intel_pt//u).',
    'PT_IN_USE',
    /in use/,
  ],
  [
    'The sys_perf_event_open() syscall returned with 22 (Invalid argument) for event (intel_pt//u).',
    'NOT_OFFERED',
    /combination/,
  ],
  ["Invalid event (intel_pt//u) in per-thread mode, enable system wide with '-a'.", 'NOT_OFFERED', /combination/],
  ['AUX area tracing snapshot failed', 'PERF_FAILED', /snapshot/],
  ['failed to write perf data, error: No space left on device', 'OUTPUT_UNWRITABLE', /disk is full/],
  ['ERROR: kcore is not readable.', 'NO_PERMISSION', /kcore/],
  [
    "Symbol 'a; b' not found.\nNote that symbols must be functions.",
    'NO_SUCH_TARGET',
    /no function for the filter: a; b/,
  ],
  ["Multiple symbols with name 'f'\n#1 0x1 l f", 'NO_SUCH_TARGET', /several functions match the filter: f/],
  ["Failed to parse address filter: 'x'", 'NOT_OFFERED', /does not understand the filter: x/],
  [
    'failed to set filter "filter f" on event intel_pt//u with 22 (Invalid argument)',
    'NOT_OFFERED',
    /refuses the filter/,
  ],
  ['Requested CPU 9000 too large. Consider raising MAX_NR_CPUS', 'NOT_RECORDED', /no CPU 9000/],
  ['a.data: missing sched_switch event', 'RECORDING_DAMAGED', /which thread ran when/],
  ['a.data: missing context_switch attribute flag', 'RECORDING_DAMAGED', /which thread ran when/],
  ['WARNING: perf not found for kernel 6.8.0-45\n', 'PERF_MISSING', /6\.8\.0-45/],
  ['E: linux-perf-5.10 is not installed.', 'PERF_MISSING', /linux-perf-5\.10/],
];

test.for(OTHERS)('%s', ([stderr, code, message]) => {
  expect(perfFailure(end(stderr))).toMatchObject({ code, message: expect.stringMatching(message) });
});

describe('an unknown failure', () => {
  test("shows perf's last lines and its exit code", () => {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index} ${'x'.repeat(500)}`);
    const { code, message, output } = perfFailure(end(lines.join('\n'), { exitCode: 77 }));
    expect({ code, message }).toEqual({ code: 'PERF_FAILED', message: 'perf record failed with exit code 77' });
    expect(output).toHaveLength(8);
    expect(output.at(-1)).toMatch(/^line 99 x{192}…$/);
  });

  test('names the signal, also from the exit code of a shell', () => {
    expect(perfFailure(end('', { exitCode: undefined, signal: 'SIGSEGV' })).message).toContain('SIGSEGV');
    expect(perfFailure(end('', { exitCode: 137 })).message).toMatch(/SIGKILL.*memory/);
  });

  test('of perf script by SIGBUS is an incomplete recording', () => {
    const ways = [{ exitCode: 135 }, { exitCode: undefined, signal: 'SIGBUS' }];
    for (const way of ways)
      expect(perfFailure(end('', { command: 'script', ...way }))).toMatchObject({
        code: 'RECORDING_DAMAGED',
        output: [],
      });
  });

  test('without output says so', () => {
    expect(perfFailure(end('')).message).toBe('perf record failed with exit code 255 and no message');
  });

  test('to start is a missing perf', () => {
    const cause = Object.assign(new Error('spawn'), { code: 'ENOENT', path: '/opt/perf' });
    const error = perfFailure(end('', { exitCode: undefined, cause }));
    expect(error).toMatchObject({ code: 'PERF_MISSING', message: expect.stringContaining('/opt/perf') });
    expect(error.hint).toContain('apt install');
  });
});
