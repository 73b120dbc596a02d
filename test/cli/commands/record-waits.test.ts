/**
 * `ptflame record` with `--waits`, `--probe` and `--no-trace`, with a fake perf.
 */
import { existsSync, readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { describe, expect } from 'vitest';
import { RecordingNotes } from '../../../cli/record/recording-notes.js';
import { type Directory, test } from '../../helpers/cli/run-cli.js';
import { TRACEPOINTS } from '../../helpers/perf/machine-tree.js';
import { perfData, record as perfRecord, trailer, u64 } from '../../helpers/perf/perf-data.js';
import { commandsIn, logOf, planRecord, received, record, startRecord } from '../../helpers/perf/record-runs.js';

const SHORT = ['-p', '1', '-t', '10ms'];
const WAITS = [...SHORT, '--waits'];
const NO_PT = { caps: null, vendor: 'AuthenticAMD', model: 'AMD EPYC' };
const UPROBES = 'root/sys/kernel/tracing/uprobe_events';
const FUTEXES = ['-e', 'syscalls:sys_enter_futex', '-e', 'syscalls:sys_exit_futex'];

/** Returns the commands of a dry run. */
async function planned(dir: Directory, args: readonly string[], machine = {}): Promise<string[][]> {
  const { stdout, stderr } = await planRecord(dir, ['--dry-run', ...args], { machine });
  expect(stderr).toMatch(/^(note: [^\n]*\n)+$/);
  return commandsIn(stdout);
}

const own = async (dir: Directory) => (await dir.names()).filter((name) => name.startsWith('perf.data'));
const commandsOf = (dir: Directory) => logOf(dir).filter((entry) => typeof entry === 'string');
const ALL = ['perf.data', 'perf.data.formats', 'perf.data.ptflame.json', 'perf.data.wakes.data'];

describe.concurrent('record --waits plans', () => {
  test('futexes in the recording, and wakings of the whole machine next to it', async ({ dir }) => {
    const [wakings, recording] = await planned(dir, ['--waits', '-t', '2s', '--', 'sleep', '1']);
    expect(wakings?.slice(1).join(' ')).toBe(
      'record -o perf.data.wakes.data -a -m 1M --no-buildid --synth=task -e sched:sched_waking -- sleep 32',
    );
    expect(recording?.slice(1).join(' ')).toBe(
      'record -o perf.data -e intel_pt/cyc=1,mtc_period=0/u -m 4M,32M -e syscalls:sys_enter_futex -e syscalls:sys_exit_futex -- sleep 1',
    );
  });

  test('switches with their reason for --waits=full', async ({ dir }) => {
    const [, recording] = await planned(dir, [...SHORT, '--waits=full']);
    expect(recording?.join(' ')).toContain([...FUTEXES, '-e', 'sched:sched_switch', '-p'].join(' '));
  });

  test('the entries of system calls for --syscalls', async ({ dir }) => {
    const [recording] = await planned(dir, ['--syscalls', ...SHORT]);
    expect(recording?.join(' ')).toContain('/u -m 4M,32M -e raw_syscalls:sys_enter -p 1 ');
  });

  test('call chains of some blocked threads for --waits=full, if the kernel names its functions', async ({ dir }) => {
    const chainsWith = async (address: string) => {
      const machine = { ...NO_PT, kallsyms: `${address} T _stext\n` };
      const [, recording] = await planned(dir, ['--no-trace', '--waits=full', '-p', '1', '-t', '1ms'], machine);
      return recording?.join(' ');
    };
    expect(await chainsWith('ffffffff81000000')).toMatch(
      / -e sched:sched_switch -e tracepoint\/config=372,freq=\d+,call-graph=fp\/ --filter prev_state & 255 --kernel-callchains/,
    );
    expect(await chainsWith('0000000000000000')).not.toContain('call-graph');
  });

  test('wakings of threads with the names of the target only', async ({ dir }) => {
    const [wakings] = await planned(dir, ['--waits', '-p', String(process.pid)]);
    const name = readFileSync('/proc/self/comm', 'latin1').trimEnd();
    const filter = wakings?.at((wakings?.indexOf('--filter') ?? -1) + 1);
    expect(filter?.split(' || ')).toEqual(expect.arrayContaining([`comm == "${name}"`, 'comm ~ "iou-*"']));
  });

  test('the same without Intel PT on any machine', async ({ dir }) => {
    const [, recording] = await planned(dir, ['--no-trace', '--waits', '-p', '1', '-t', '1ms'], NO_PT);
    expect(recording?.slice(1).join(' ')).toBe(
      `record -o perf.data --switch-events -m 4M ${FUTEXES.join(' ')} -p 1 -- sleep 0.001`,
    );
  });

  test('buffers of the given size without Intel PT', async ({ dir }) => {
    const [, recording] = await planned(dir, ['--no-trace', '--waits', '-m', '16M', '-a']);
    expect(recording?.join(' ')).toContain(' -m 16M ');
  });

  test('what the kernel does in the target for --why, as far as it has events, also without waits', async ({ dir }) => {
    const tracepoints = [...TRACEPOINTS, 'exceptions:page_fault_user', 'irq:softirq_entry', 'irq:softirq_exit'];
    const args = ['--dry-run', '--no-trace', '--why', ...SHORT];
    const { stdout, stderr } = await planRecord(dir, args, { machine: { ...NO_PT, tracepoints } });
    const [recording] = commandsIn(stdout);
    expect(recording?.join(' ')).toContain(
      ' -e sched:sched_switch -e exceptions:page_fault_user -e irq:softirq_entry -e irq:softirq_exit -p 1 ',
    );
    expect(stderr).toMatch(/note: the kernel has no irq:irq_handler_entry, .*: --why leaves them out/);
    expect(stderr).not.toMatch(/has no .*softirq/);
  });

  test('all that it may do, for another machine', async ({ dir }) => {
    const args = ['--dry-run', '--why', '--waits=full', ...SHORT];
    const { stdout, stderr } = await planRecord(dir, args, { machine: { tracepoints: null } });
    expect(stdout).toMatch(/ -e sched:sched_switch -e exceptions:page_fault_user .* -e irq_vectors:local_timer_exit /);
    expect(stdout.match(/sched_switch/g)).toHaveLength(1);
    expect(stderr).not.toContain('leaves them out');
  });

  test('probes, recorded and removed as a group', async ({ dir }) => {
    const unusual = "f@x.c+0x10 a=+0(%di):string b=$stack0 'c; $(d)";
    const args = [...SHORT, '--probe', `push=./a dir/b:c:${unusual}`, '--probe', 'pop=q:pop%return r=$retval'];
    const [push, pop, recording, removal] = await planned(dir, args);
    expect(push?.slice(1)).toEqual(['probe', '--exec=./a dir/b:c', `--add=ptflame:push=${unusual}`]);
    expect(pop?.slice(1)).toEqual(['probe', '--exec=q', '--add=ptflame:pop=pop%return r=$retval']);
    expect(recording?.join(' ')).toContain('/u -m 4M,32M -e ptflame:* -p 1 ');
    expect(removal?.slice(1)).toEqual(['probe', '--quiet', '--del=ptflame:*']);
  });
});

describe.concurrent('record --waits', () => {
  test('makes each file that it leaves as private as the recording', async ({ dir }) => {
    await record(dir, WAITS);
    for (const name of ALL) expect([name, (await stat(dir.file(name))).mode & 0o777]).toEqual([name, 0o600]);
  });

  test('records wakings from before until after the target, and writes formats', async ({ dir }) => {
    const RECORDING = await dir.write('recording', perfData({}));
    const { exitCode, stderr } = await record(dir, WAITS, { fake: { RECORDING } });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.not.stringContaining('warning') });
    expect(stderr).toMatch(
      /^wrote perf\.data\.wakes\.data: .* the wakings of the whole machine\nnext: ptflame render /m,
    );
    expect(commandsOf(dir)).toEqual(['wakings enable', 'enable', 'disable', 'wakings disable']);
    expect(await own(dir)).toEqual(ALL);
    expect(await dir.read('perf.data.formats')).toBe(
      ['syscalls:sys_enter_futex', 'syscalls:sys_exit_futex', 'sched:sched_waking']
        .map((event) => `event ${event}\nname: ${event.slice(event.indexOf(':') + 1)}\nID: 7\n`)
        .join(''),
    );
    const notes = RecordingNotes.parse(JSON.parse(await dir.read('perf.data.ptflame.json')));
    expect(notes.tracepoints).toEqual(['syscalls:sys_enter_futex', 'syscalls:sys_exit_futex']);
    expect(notes.wakings).toContain('sched:sched_waking');
  });

  test('works without Intel PT', async ({ dir }) => {
    const { exitCode, stderr } = await record(dir, [...WAITS, '--no-trace'], { machine: NO_PT });
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: expect.stringMatching(/^next: ptflame waits perf\.data$/m),
    });
    expect(RecordingNotes.parse(JSON.parse(await dir.read('perf.data.ptflame.json')))).toMatchObject({
      event: '',
      auxBytes: 0,
    });
  });

  test('works with an old perf, without control', async ({ dir }) => {
    const args = ['-p', '1', '-t', '3s', '--waits'];
    expect((await record(dir, args, { fake: { VERSION: 'perf version 5.4.0' } })).exitCode).toBe(0);
    expect(await own(dir)).toEqual(ALL);
    expect(logOf(dir).flat()).not.toContain('--synth=task');
  });

  test('moves all files of an earlier recording to .old', async ({ dir }) => {
    for (let each = 0; each < 3; each++) expect((await record(dir, WAITS)).exitCode).toBe(0);
    const old = ALL.map((name) => name.replace('perf.data', 'perf.data.old'));
    expect(await own(dir)).toEqual([...ALL, ...old].sort());
    expect((await record(dir, SHORT)).exitCode).toBe(0);
    expect(await own(dir)).toEqual(['perf.data', 'perf.data.ptflame.json', ...old].sort());
  });

  test('keeps no wakings of a recording that is gone', async ({ dir }) => {
    await dir.write('perf.data.wakes.data', 'PERFILE2 of another recording');
    expect((await record(dir, SHORT)).exitCode).toBe(0);
    expect(await own(dir)).toEqual(['perf.data', 'perf.data.ptflame.json']);
  });

  test.for([
    ['perf.data.wakes.data', 'years of work'],
    ['perf.data.formats', 'years of work'],
    ['perf.data.old.wakes.data', 'years of work'],
    ['perf.data.wakes.data', 'PERFILE2 with notes of its own'],
  ] as const)('never replaces %s that holds "%s"', async ([name, content], { dir }) => {
    await dir.write(name, content);
    if (content.startsWith('PERFILE2')) await dir.write(`${name}.ptflame.json`, '{}');
    const { exitCode, stderr } = await planRecord(dir, SHORT);
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining(`${name} already exists`) });
    expect(await dir.read(name)).toBe(content);
  });

  test.for(['fails', 'hang'])('leaves nothing if wakings cannot be recorded: %s', async (WAKINGS, { dir }) => {
    await dir.write('perf.data', 'PERFILE2 before');
    await dir.write('perf.data.wakes.data', 'PERFILE2 wakings');
    const { running } = await startRecord(dir, WAITS, { fake: { WAKINGS } });
    if (WAKINGS === 'hang') {
      await received(dir, 'wakings enable');
      running.kill('SIGINT');
    }
    const { exitCode, stderr } = await running;
    expect({ exitCode, stderr }).toEqual(
      WAKINGS === 'hang'
        ? { exitCode: 130, stderr: expect.stringContaining('stopped before perf began') }
        : { exitCode: 1, stderr: expect.stringContaining('wakings of the whole machine cannot be recorded') },
    );
    expect(await own(dir)).toEqual(['perf.data', 'perf.data.wakes.data']);
    expect(await dir.read('perf.data.wakes.data')).toBe('PERFILE2 wakings');
    expect(commandsOf(dir)).not.toContain('enable');
  });

  test('leaves nothing if the recording of the target fails', async ({ dir }) => {
    const { exitCode } = await record(dir, WAITS, { fake: { MODE: 'empty', WAKINGS: 'record' } });
    expect(exitCode).toBe(1);
    expect(await own(dir)).toEqual([]);
  });

  test.for(['dies', 'empty', 'none'])('warns if the recording of wakings is lost: %s', async (WAKINGS, { dir }) => {
    const { exitCode, stderr } = await record(dir, ['-p', '1', '-t', '500ms', '--waits'], { fake: { WAKINGS } });
    expect(exitCode).toBe(0);
    expect(stderr).toContain('warning: perf left no recording of wakings');
    expect(stderr.includes('has ended early')).toBe(WAKINGS === 'dies');
    expect(await own(dir)).toEqual(ALL.filter((name) => !name.includes('wakes')));
  });

  test('warns of lost wakings', async ({ dir }) => {
    const lost = perfRecord(2, 0, u64(1), u64(42), trailer());
    const RECORDING = await dir.write('recording', perfData({ records: [lost] }));
    const { stderr } = await record(dir, WAITS, { fake: { RECORDING } });
    expect(stderr).toContain('warning: perf lost 42 wakings of the machine');
  });

  test('ends both recordings at Ctrl-C', async ({ dir }) => {
    const { running } = await startRecord(dir, ['-p', '1', '-t', '10m', '--waits']);
    await received(dir, 'enable');
    await new Promise((done) => setTimeout(done, 500)); // until it knows that both have begun
    running.kill('SIGINT');
    expect((await running).exitCode).toBe(0);
    expect(await own(dir)).toEqual(ALL);
    expect(commandsOf(dir).slice(-2)).toEqual(['disable', 'wakings disable']);
  });
});

describe.concurrent('record --probe', () => {
  const PROBE = ['--probe', `push=${process.execPath}:f job=%di`];

  test('adds probes in a group of its own, records their formats, and removes them', async ({ dir }) => {
    const { running } = await startRecord(dir, [...SHORT, ...PROBE, '--no-trace']);
    expect((await running).exitCode).toBe(0);
    const group = `ptflame_${running.pid}`;
    expect(await dir.read(UPROBES)).toBe(
      `p:${group}/push ${process.execPath}:0x0000000000000010 job=%di\n-:${group}/push\n`,
    );
    expect(await dir.read('perf.data.formats')).toBe(`event ${group}:push\nname: push\nID: 2000\n`);
    expect(logOf(dir).flat()).toContain(`${group}:*`);
  });

  test('warns of a slow instruction', async ({ dir }) => {
    await dir.write('binary', Buffer.concat([Buffer.alloc(16), Buffer.from('f30f1efa55', 'hex')]));
    const { stderr } = await record(dir, [...SHORT, '--probe', 'push=./binary:f']);
    expect(stderr).toMatch(/warning: the probe push is at a slow instruction: .*; 4 bytes later it would be fast/);
  });

  test.for([
    ['the second cannot be added', { PROBES: '1' }, 'perf cannot add the probe pop=g', 1],
    ['the recording fails', { MODE: 'none' }, 'perf record was killed', 1],
  ] as const)('removes its probes if %s', async ([, fake, message, removed], { dir }) => {
    const args = [...SHORT, '--probe', 'push=x:f', ...(removed && 'PROBES' in fake ? ['--probe', 'pop=x:g'] : [])];
    const { exitCode, stderr } = await record(dir, args, { fake });
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining(message) });
    expect((await dir.read(UPROBES)).split('\n').filter((line) => line.startsWith('-:'))).toHaveLength(removed);
    expect(await own(dir)).toEqual([]);
  });

  test('removes its probes at the second Ctrl-C', async ({ dir }) => {
    const { running } = await startRecord(dir, ['-p', '1', '-t', '10m', ...PROBE], { fake: { MODE: 'deaf' } });
    await received(dir, 'enable');
    running.kill('SIGINT');
    await received(dir, 'disable');
    running.kill('SIGINT');
    expect((await running).exitCode).toBe(130);
    expect(await dir.read(UPROBES)).toMatch(/^-:ptflame_\d+\/push$/m);
  });
});

describe.concurrent('record refuses', () => {
  test.for([
    [['--no-trace', '-p', '1'], /--no-trace leaves nothing to record/],
    [['--no-trace', '--waits', '--snapshot', '-p', '1'], /--no-trace and --snapshot are mutually exclusive/],
    [['--no-trace', '--waits', '--mtc-period', '3', '-p', '1'], /--no-trace and --mtc-period are/],
    [['--no-trace', '--waits', '--render', 'x.svg', '-p', '1'], /--no-trace and --render are/],
    [['--waits=all', '-p', '1'], /--waits must be full, or have no value/],
    [['-a', '--probe', 'push=x:f'], /--probe would stop every process/],
    [['-C', '0', '--probe', 'push=x:f'], /--probe would stop every process/],
    [['-p', '1', '--probe', 'x:f'], /must be NAME=FILE:SYMBOL/],
    [['-p', '1', '--probe', 'push=x'], /must be NAME=FILE:SYMBOL/],
    [['-p', '1', '--probe', 'a b=x:f'], /must be NAME=FILE:SYMBOL/],
    [['-p', '1', '--probe', 'a=x:f\nb=%di'], /must be NAME=FILE:SYMBOL/],
    [['-p', '1', '--probe', 'a=x:f', '--probe', 'a=x:g'], /must have different names: a/],
  ] as const)('%j', async ([args, message], { dir }) => {
    const { exitCode, stderr } = await planRecord(dir, args);
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringMatching(message) });
    expect(existsSync(dir.file('perf.data'))).toBe(false);
  });

  test.for([
    ['--waits', { tracepoints: null }, /tracefs is not mounted/, /sudo mount -t tracefs/],
    ['--waits', { uid: 1000, capabilities: '0' }, /may not record tracepoints/, /use sudo/],
    ['--waits', { tracepoints: ['sched:sched_waking'] }, /kernel has no sched:sched_switch, sys/, /FTRACE_SYSCALLS/],
    ['--probe=a=x:f', { uprobes: false }, /the kernel has no uprobes/, /CONFIG_UPROBE_EVENTS/],
  ] as const)('%s on a machine with %j', async ([flag, machine, message, hint], { dir }) => {
    const { exitCode, stderr } = await planRecord(dir, [...SHORT, flag], { machine });
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringMatching(message) });
    expect(stderr).toMatch(hint);
    expect(logOf(dir)).toEqual([]);
  });
});
