/**
 * `ptflame record` with a fake perf: perf's arguments, its start and end, and the files that remain.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdir, stat } from 'node:fs/promises';
import { describe, expect, vi } from 'vitest';
import { RecordingNotes } from '../../../cli/record/recording-notes.js';
import { type Directory, expectRefusal, fixturePath, ptflame, test } from '../../helpers/cli/run-cli.js';
import { RECORDED_ROOT, recordingPath } from '../../helpers/perf/perf.js';
import {
  commandsIn,
  logOf,
  planRecord,
  received,
  record,
  recordArguments,
  startRecord,
} from '../../helpers/perf/record-runs.js';
import { isMissing } from '../../tools/needs.js';

const NOTES = (host: string) => JSON.stringify({ format: 'ptflame-recording', host }, null, 2);
const SHORT = ['-p', '1', '-t', '10ms'];

/** Makes fsync fail for the file at the path FAILING. */
const FAILING_SYNC = `
import { readlinkSync } from 'node:fs';
import { open } from 'node:fs/promises';
const file = await open(process.execPath);
await file.close();
const { sync } = Object.getPrototypeOf(file);
Object.getPrototypeOf(file).sync = async function () {
  if (readlinkSync('/proc/self/fd/' + this.fd).endsWith('/' + process.env.FAILING)) throw new Error('no disk');
  return sync.call(this);
};
`;

describe.concurrent('processes to record', () => {
  const planned = async (dir: Directory, args: readonly string[]) => {
    const { stdout } = await planRecord(dir, [...args, '-q', '--dry-run', '-t', '1ms']);
    return stdout === '' ? null : (commandsIn(stdout)[0] as string[]).join(' ');
  };

  test.for([
    [['-p', '12 34']], // -p "$(pidof x)"
    [['-p', '12', '34']], // -p $(pidof x)
    [['-p12', '34']],
    [['--pid=12', '34']],
    [['--pid=12\n34\n']], // --pid="$(pgrep x)"
    [['-p', '12,', ' 34 ']],
    [['-p', ' 12,\t34, ']],
    [['-p', '12', '34', '-p', '34']],
  ])('are what pidof and pgrep print: %j', async ([args], { dir }) => {
    expect(await planned(dir, args)).toContain(' -p 12,34 -- ');
  });

  test('may be threads', async ({ dir }) => {
    expect(await planned(dir, ['--tid', '12', '34\n56'])).toContain(' -t 12,34,56 --per-thread ');
    expect(await planned(dir, ['-C', '0', '1-2'])).toContain(' -C 0,1,2 ');
  });

  test.for([
    [['-p', '-t', '1s']],
    [['-p']],
    [['-p', '']],
    [['--pid=', '-t', '1s']],
    [['-p', ' \n']],
    [['-p', ',']],
    [['-p', '--', 'ls']],
  ])('may not run: %j', async ([args], { dir }) => {
    expectRefusal(await planRecord(dir, args), 2, /--pid has no value; no such process: is it running\?/);
  });

  test('that do not exist are named', async ({ dir }) => {
    const run = await planRecord(dir, ['-p', '1', '4194305', '4194306']);
    expectRefusal(run, 1, /no such process: 4194305, 4194306; is it running\?/);
    expectRefusal(await planRecord(dir, ['--tid', '4194305']), 1, /no such thread: 4194305/);
    expectRefusal(await planRecord(dir, ['-p', 'mysqld']), 2, /--pid must be a list of numbers/);
  });
});

describe.concurrent('record starts perf', () => {
  test('for a process: enables it, waits and disables it', async ({ dir }) => {
    const { exitCode, stdout, stderr } = await record(dir, SHORT);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' });
    expect(stderr).toMatch(
      /^recording process 1 for 10 ms; Ctrl-C stops and keeps it\nwrote perf\.data: [^\n]+\nnext: ptflame render perf\.data -o flame\.html\n$/,
    );
    const head = ['record', '-o', 'perf.data', '-e', 'intel_pt/cyc=1,mtc_period=0/u', '-m', ',32M'];
    const control = ['--control', 'fd:3,4', '-D', '-1', '--', 'sleep', '10.01'];
    expect(recordArguments(dir)).toEqual([...head, '-p', '1', ...control]);
    expect(logOf(dir).filter((entry) => typeof entry === 'string')).toEqual(['enable', 'disable']);
  });

  test.for([
    [
      ['-C', '0-1,3'],
      ['-C', '0,1,3'],
    ],
    [['-a'], ['-a']],
    [
      ['-p', '1', '-p', '2'],
      ['-p', '1,2'],
    ],
    [
      ['-p', '1', '--per-thread'],
      ['-p', '1', '--per-thread'],
    ],
    [
      ['--tid', '7,8'],
      ['-t', '7,8', '--per-thread'],
    ],
    [
      ['-p', '1', '--no-cyc'],
      ['-e', 'intel_pt//u'],
    ],
    [
      ['-p', '1', '--no-cyc', '--mtc-period', '3', '--psb-period', '2', '--noretcomp'],
      ['-e', 'intel_pt/mtc_period=3,psb_period=2,noretcomp=1/u'],
    ],
    [
      ['-p', '1', '--cyc-thresh', '4'],
      ['-e', 'intel_pt/cyc=1,cyc_thresh=4,mtc_period=0/u'],
    ],
    [
      ['-p', '1', '-m', '4M'],
      ['-m', ',4M'],
    ],
    [['-p', '1', '--snapshot'], ['--snapshot=e']],
    [['-p', '1', '--snapshot', '1M'], ['--snapshot=e1048576']],
    [
      ['-p', '1', '--filter', 'filter a @ /b', '--filter', 'stop c @ /d'],
      ['--filter', 'filter a @ /b', '--filter', 'stop c @ /d'],
    ],
    [
      ['-p', '1', '--only', 'f', '--only', 'g', '--binary', '/b'],
      ['--filter', 'filter f @ /b', '--filter', 'filter g @ /b'],
    ],
  ])('with the right arguments for %j', async ([flags, wanted], { dir }) => {
    const { stdout } = await planRecord(dir, [...flags, '-t', '1ms', '--dry-run']);
    const [command] = commandsIn(stdout);
    expect(command?.join('\0')).toContain(wanted.join('\0'));
  });

  test('with a copy of the kernel for --kernel, so that the output is a directory', async ({ dir }) => {
    expect((await record(dir, [...SHORT, '--kernel'])).exitCode).toBe(0);
    expect(recordArguments(dir)).toEqual(expect.arrayContaining(['intel_pt/cyc=1,mtc_period=0/', '--kcore']));
    expect(readdirSync(dir.file('perf.data'))).toEqual(['data']);
  });

  test('without cycle-accurate times on an old CPU', async ({ dir }) => {
    expect((await record(dir, SHORT, { machine: { caps: { psb_cyc: '0' } } })).exitCode).toBe(0);
    expect(recordArguments(dir)).toContain('intel_pt//u');
  });

  test('without control descriptors if perf is old', async ({ dir }) => {
    const args = ['-p', '1', '-t', '3s']; // such a perf is given 500 ms to start: a slow machine needs more
    expect((await record(dir, args, { fake: { VERSION: 'perf version 5.4.0' } })).exitCode).toBe(0);
    expect(recordArguments(dir).slice(-5)).toEqual(['-p', '1', '--', 'sleep', '3']);
  });

  test('with small buffers for a user who may lock little memory', async ({ dir }) => {
    await record(dir, SHORT, { machine: { uid: 1000, capabilities: '0' } });
    expect(recordArguments(dir)).toContain('256K,2M');
  });

  test('with any names unchanged', async ({ dir }) => {
    const unusual = ['it\'s a; $(touch gone) `x` "q" \\ *', '-x', '--', 'new\nline', '', '007', '-'];
    const output = "o'ut put; $(x)\n.data";
    const filter = "filter 'a b'; $(x)\n@ /b";
    const args = ['-o', output, '--filter', filter, '--', process.execPath, '-e', '0', ...unusual];
    expect((await record(dir, args)).exitCode).toBe(0);
    const passed = recordArguments(dir);
    expect(passed.slice(passed.indexOf('--') + 1)).toEqual([process.execPath, '-e', '0', ...unusual]);
    expect(passed[passed.indexOf('-o') + 1]).toBe(output);
    expect(passed[passed.indexOf('--filter') + 1]).toBe(filter);
    expect(existsSync(dir.file(output))).toBe(true);
  });

  test('with an output that begins with a dash', async ({ dir }) => {
    expect((await record(dir, [...SHORT, '-o=-x'])).exitCode).toBe(0);
    expect(existsSync(dir.file('-x'))).toBe(true);
  });
});

describe.concurrent('a recorded command', () => {
  const NODE = (script: string) => ['--', process.execPath, '-e', script];

  test('inherits the standard streams', async ({ dir }) => {
    const script = "process.stdin.on('data', (t) => { console.log('out', String(t)); console.error('err'); })";
    const run = await record(dir, NODE(script), { input: 'hello' });
    expect(run).toMatchObject({ exitCode: 0, stdout: 'out hello\n' });
    expect(run.stderr).toMatch(/^err$/m);
    expect(run.stderr).not.toContain('perf record');
  });

  test('may fail: its exit code is reported, and record exits with 0', async ({ dir }) => {
    const { exitCode, stderr } = await record(dir, NODE('process.exit(3)'));
    expect(exitCode).toBe(0);
    expect(stderr).toContain('the workload exited with code 3\n');
    const notes = RecordingNotes.parse(JSON.parse(readFileSync(dir.file('perf.data.ptflame.json'), 'utf8')));
    expect(notes).toMatchObject({ endedBy: 'target', workload: { exitCode: 3, signal: null } });
  });

  test('is stopped when the time is up', async ({ dir }) => {
    const { exitCode } = await record(dir, ['-t', '300ms', ...NODE('setInterval(() => {}, 1000)')]);
    expect(exitCode).toBe(0);
    expect(RecordingNotes.parse(JSON.parse(await dir.read('perf.data.ptflame.json')))).toMatchObject({
      endedBy: 'time',
      workload: null,
    });
  });
});

describe.concurrent('record refuses', () => {
  test.for([
    [[], /nothing to record/],
    [['-p', '1', '-a'], /more than one target/],
    [['--'], /no command after --/],
    [['-a', '--per-thread'], /--per-thread works only with -p PID/],
    [['-p', '1', '-t', '5'], /--time must be a time.*with a unit/],
    [['-p', '1', '-m', '3M'], /power of two/],
    [['-p', '1', '--user', '--kernel'], /mutually exclusive/],
    [['-p', '1', '--cyc', '--no-cyc'], /mutually exclusive/],
    [['-p', '1', '--only', 'f'], /--only needs the binary/],
    [['-p', '1', '--only', 'a b', '--binary', 'x'], /perf cannot filter by a function whose name has blanks/],
    [['-p', '1', '--trigger', 'signal'], /--trigger signal works only with --snapshot/],
    [['-p', '1', '--keep', '3'], /--keep works only with --trigger FUNCTION/],
    [['-p', '1', '--trigger', 'commit>10'], /--trigger commit>10: this is no function and time/],
    [['-p', '1', '-o', '-'], /standard output/],
    [['-p', '1', '-o', 'flame.svg'], /flame\.svg ends like another kind of file/],
    [['-p', '1', '--dry-run', '-o', 'a/x.PTF'], /x\.PTF ends like another/],
    [['-p', '1', '--render', 'flame.png'], /unknown file ending: flame\.png/],
    [['ls', '-l', '--color'], /unexpected argument: ls$/],
  ] as const)('%j', async ([args, message], { dir }) => {
    expectRefusal(await planRecord(dir, args), 2, message);
    expect(logOf(dir).filter(([first]) => first === 'record')).toEqual([]);
  });

  test('a command without --, and shows how to pass it', async ({ dir }) => {
    expectRefusal(await planRecord(dir, ['ls']), 2, /unexpected argument: ls$/, /after --: ptflame record -- ls/);
  });

  test.for([
    [['--mtc-period', '1'], /does not support mtc_period=1/, /0, 3, 6, 9/],
    [['--cyc-thresh', '13'], /does not support cyc_thresh=13/, /12/],
    [['-C', '17'], /CPU 17 does not exist/, /0, 1, 2, 3/],
  ] as const)('what the machine does not support: %j', async ([args, message, hint], { dir }) => {
    expectRefusal(await planRecord(dir, [...(args[0] === '-C' ? [] : ['-p', '1']), ...args]), 1, message, hint);
  });

  test('a machine without Intel PT, before starting perf', async ({ dir }) => {
    const machine = { caps: null, vendor: 'AuthenticAMD', model: 'AMD EPYC' };
    expectRefusal(
      await planRecord(dir, SHORT, { machine }),
      1,
      /no Intel PT: .*AMD EPYC/,
      /--no-trace --waits records waits.* ptflame doctor/,
    );
    expect(logOf(dir)).toEqual([]);
  });

  test('buffers larger than the memory', async ({ dir }) => {
    const run = await planRecord(dir, ['-a', '-m', '1G'], { machine: { availableKb: 2_000_000 } });
    expectRefusal(run, 1, /4 buffers of 1\.1 GB need 4\.3 GB/, /-m 4M/);
  });
});

describe.concurrent('a perf that fails', () => {
  test.for([
    ['no-permission-foreign-pid', '255', /perf_event_paranoid is 2/],
    ['mlock-limit', '255', /lock into memory/],
    ['bad-pid', '244', /no such process/],
    ['workload-missing', '255', /cannot run/],
    ['no-address-filters', '129', /address filters/],
  ] as const)('is explained: %s', async ([name, code, message], { dir }) => {
    const fake = { STDERR: fixturePath(`perf-stderr/${name}.txt`), EXIT: code, MODE: 'empty' };
    const { exitCode, stderr } = await record(dir, SHORT, { fake });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/^ {2}\| /m); // perf's own messages
    expect((await dir.names()).filter((each) => each.startsWith('perf.data'))).toEqual([]);
  });

  test('cannot control the terminal with its messages', async ({ dir }) => {
    const STDERR = await dir.write('stderr', 'oh no \x1b[2J\n');
    expect((await record(dir, SHORT, { fake: { STDERR, EXIT: '1', MODE: 'none' } })).stderr).toContain(
      '| oh no \\x1b[2J\n',
    );
  });

  test('is quoted once if a command fails to start', async ({ dir }) => {
    const fake = { STDERR: fixturePath('perf-stderr/workload-missing.txt'), EXIT: '255', MODE: 'empty' };
    const { stderr, exitCode } = await record(dir, ['--', '/nonexistent/cmd'], { fake });
    expect(exitCode).toBe(1);
    expect(stderr.match(/Failed to collect/g)).toHaveLength(1);
  });

  test('is explained: full disk', async ({ dir }) => {
    const STDERR = await dir.write('stderr', 'failed to write perf data, error: No space left on device\n');
    const { exitCode, stderr } = await record(dir, SHORT, { fake: { STDERR, EXIT: '255', MODE: 'empty' } });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/the disk is full/);
  });

  test('is reported with its exit code if it printed nothing', async ({ dir }) => {
    const { exitCode, stderr } = await record(dir, SHORT, { fake: { EXIT: '7', MODE: 'none' } });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/perf record failed with exit code 7 and no message/);
  });

  test('leaves no incomplete recording, whatever its exit code; the earlier one is restored', async ({ dir }) => {
    const before = { 'perf.data': 'PERFILE2 before', 'perf.data.old': 'PERFILE2 older' };
    const notes = { 'perf.data.ptflame.json': NOTES('before'), 'perf.data.old.ptflame.json': NOTES('older') };
    const all = { ...before, ...notes };
    for (const [name, content] of Object.entries(all)) await dir.write(name, content);
    const { exitCode, stderr } = await record(dir, SHORT, { fake: { MODE: 'empty' } });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/ptflame: perf (?:left|record was killed)/);
    for (const [name, content] of Object.entries(all)) expect(await dir.read(name)).toBe(content);
    expect((await dir.names()).filter((name) => name.startsWith('perf.data'))).toEqual(Object.keys(all).sort());
  });

  test('may not exist', async ({ dir }) => {
    expectRefusal(
      await planRecord(dir, SHORT, { perf: '/nowhere/perf' }),
      1,
      /no such program: \/nowhere\/perf/,
      /apt install/,
    );
  });
});

describe.concurrent('the output of record', () => {
  test('moves an earlier recording and its notes to .old', async ({ dir }) => {
    for (let each = 0; each < 3; each++) expect((await record(dir, SHORT)).exitCode).toBe(0);
    const names = (await dir.names()).filter((name) => name.startsWith('perf.data'));
    expect(names).toEqual(['perf.data', 'perf.data.old', 'perf.data.old.ptflame.json', 'perf.data.ptflame.json']);
  });

  test.for([
    [[], 'perf.data'],
    [['--kernel'], 'perf.data/data'],
  ] as const)('with %j is on the disk before it is reported as written', async ([flags, written], { dir }) => {
    const noDisk = await dir.write('no-disk.mjs', FAILING_SYNC);
    const env = { NODE_OPTIONS: `--import ${noDisk}`, FAILING: written };
    const { exitCode, stderr } = await record(dir, [...SHORT, ...flags], { env });
    expect(stderr).toMatch(/ptflame: cannot write perf\.data to the disk: .*no disk\n {2}choose another directory/);
    expect(stderr).not.toContain('wrote perf.data');
    expect(exitCode).toBe(1);
    expect((await dir.names()).filter((name) => name.startsWith('perf.data'))).toEqual([]);
  });

  test('moves directories of --kernel to .old, too', async ({ dir }) => {
    for (let each = 0; each < 3; each++) expect((await record(dir, [...SHORT, '--kernel'])).exitCode).toBe(0);
    expect((await stat(dir.file('perf.data.old'))).isDirectory()).toBe(true);
  });

  test('never replaces another directory', async ({ dir }) => {
    await mkdir(dir.file('perf.data'));
    await dir.write('perf.data/thesis.tex', 'years of work');
    expectRefusal(await planRecord(dir, SHORT), 1, /is not a recording/);
    expect(await dir.read('perf.data/thesis.tex')).toBe('years of work');
  });

  test.for([
    ['perf.data', 'years of work'],
    ['perf.data.old', 'years of work'],
    ['perf.data.ptflame.json', '{"years": "of work"}'],
    ['perf.data.old.ptflame.json', '{"years": "of work"}'],
  ] as const)('never replaces %s if it is neither a recording nor notes', async ([name, content], { dir }) => {
    await dir.write('perf.data', 'PERFILE2 before');
    await dir.write(name, content);
    expectRefusal(await planRecord(dir, SHORT), 1, /perf\.data.* already exists/, /another name/);
    expect(await dir.read(name)).toBe(content);
    expect(logOf(dir).filter(([first]) => first === 'record')).toEqual([]);
  });

  test.for(['perf.data', 'perf.data.old'])('never replaces a read-only %s', async (name, { dir }) => {
    await dir.write('perf.data', 'PERFILE2 before');
    await dir.write(name, 'PERFILE2 read-only');
    await chmod(dir.file(name), 0o444);
    expectRefusal(await planRecord(dir, SHORT), 1, /perf\.data.* is read-only/, /another name/);
    expect(await dir.read(name)).toBe('PERFILE2 read-only');
  });

  test('moves only complete recordings to .old, not empty files', async ({ dir }) => {
    await dir.write('perf.data', '');
    await dir.write('perf.data.old', 'PERFILE2 older');
    expect((await record(dir, SHORT)).exitCode).toBe(0);
    expect(await dir.read('perf.data.old')).toBe('PERFILE2 older');
    expect((await record(dir, SHORT)).exitCode).toBe(0);
    expect(await dir.read('perf.data.old')).toMatch(/^PERFILE2h\0/);
  });

  test('comes with notes on how it was made', async ({ dir }) => {
    await record(dir, SHORT);
    const notes = RecordingNotes.parse(JSON.parse(await dir.read('perf.data.ptflame.json')));
    expect(notes).toMatchObject({ perf: '6.1.192', kernel: '6.1.0-test', endedBy: 'time', buffers: 4, workload: null });
    expect(notes.startedAt).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
    expect(notes.durationNs).toBeGreaterThan(0);
  });
});

describe.concurrent('signals', () => {
  test.for(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const)(
    '%s stops the recording and keeps it',
    async (signal, { dir }) => {
      const { running } = await startRecord(dir, ['-p', '1', '-t', '10m']);
      await received(dir, 'enable');
      await new Promise((done) => setTimeout(done, 200));
      running.kill(signal);
      const { exitCode, stderr } = await running;
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.stringContaining('wrote perf.data') });
      expect(RecordingNotes.parse(JSON.parse(await dir.read('perf.data.ptflame.json'))).endedBy).toBe('interrupt');
    },
  );

  test('a second SIGHUP, which a closing terminal sends, keeps the recording', async ({ dir }) => {
    const { running } = await startRecord(dir, ['-p', '1', '-t', '10m'], { fake: { MODE: 'slow' } });
    await received(dir, 'enable');
    await new Promise((done) => setTimeout(done, 200));
    running.kill('SIGHUP');
    await received(dir, 'disable');
    running.kill('SIGHUP');
    expect(await running).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('wrote perf.data') });
  });

  test('environment variables that no shell passes on reach the command', async ({ dir }) => {
    const args = ['--', process.execPath, '-e', "console.log(process.env['a.b-c'], process.env['PLAIN'])"];
    const run = await record(dir, args, { env: { 'a.b-c': "it's; $(odd)", PLAIN: 'x' } });
    expect(run).toMatchObject({ exitCode: 0, stdout: "it's; $(odd) x\n" });
  });

  test('a second Ctrl-C kills perf and discards the recording', async ({ dir }) => {
    const { running } = await startRecord(dir, ['-p', '1', '-t', '10m'], { fake: { MODE: 'deaf' } });
    await received(dir, 'enable');
    await new Promise((done) => setTimeout(done, 200));
    running.kill('SIGINT');
    await received(dir, 'disable');
    running.kill('SIGINT');
    const { exitCode, stderr } = await running;
    expect(exitCode).toBe(130);
    expect(stderr).toContain('perf was killed');
    expect((await dir.names()).filter((name) => name.startsWith('perf.data'))).toEqual([]);
  });

  test('Ctrl-C interrupts a perf that hangs at its start', async ({ dir }) => {
    const { running } = await startRecord(dir, SHORT, { fake: { MODE: 'hang' } });
    await received(dir, 'enable');
    running.kill('SIGINT');
    await new Promise((done) => setTimeout(done, 300));
    running.kill('SIGINT');
    expect((await running).exitCode).toBe(130);
  });

  test('each SIGUSR2 takes a snapshot', async ({ dir }) => {
    const { running } = await startRecord(dir, ['-p', '1', '--snapshot', '--trigger', 'signal']);
    await received(dir, 'enable');
    for (const number of [1, 2]) {
      running.kill('SIGUSR2');
      await vi.waitFor(() => expect(logOf(dir).filter((word) => word === 'snapshot')).toHaveLength(number), {
        timeout: 60_000,
      });
    }
    await new Promise((done) => setTimeout(done, 200));
    running.kill('SIGINT');
    const { exitCode, stderr } = await running;
    expect(exitCode).toBe(0);
    expect(stderr).toContain('snapshot 2 taken\n');
    expect(recordArguments(dir)).toContain('--snapshot');
  });
});

describe('--render', () => {
  test.skipIf(isMissing('perf'))('renders the recording, and shows where and when it was made', async ({ dir }) => {
    const fake = { RECORDING: recordingPath('cpus-2'), SYMFS: RECORDED_ROOT };
    const run = await record(dir, [...SHORT, '--render', 'flame.svg', '--render', 'out.folded'], { fake });
    expect(run.exitCode).toBe(0);
    const { startedAt } = RecordingNotes.parse(JSON.parse(readFileSync(dir.file('perf.data.ptflame.json'), 'utf8')));
    const svg = readFileSync(dir.file('flame.svg'), 'utf8');
    expect(svg).toContain('recorded on ptemu · 5 threads');
    expect(svg.match(/recorded on/g)).toHaveLength(1);
    expect(svg).toContain('recorded at ');
    expect(svg).toContain(`at ${startedAt}`);
    expect(readFileSync(dir.file('out.folded'), 'utf8')).toContain('critical');
  });
});

describe.concurrent('--dry-run', () => {
  test('works on a machine without Intel PT and without perf', async ({ dir }) => {
    const run = await planRecord(dir, ['-p', '1', '--dry-run', '--render', 'a b.svg'], {
      machine: { caps: null },
      perf: '/no where/perf',
    });
    expect(run.stdout).toBe(
      "'/no where/perf' record -o perf.data -e intel_pt/cyc=1,mtc_period=0/u -m ,32M -p 1 -- sleep 1\n" +
        "ptflame render perf.data -o 'a b.svg'\n",
    );
    expect(run.exitCode).toBe(0);
    expect(run.stderr).toMatch(
      /^note: CPU \(assumed, this machine has no Intel PT\): psb_cyc=1.*\nnote: perf \(assumed, none found\): 5\.10/,
    );
  });

  test('shows what the CPU supports if it has Intel PT', async ({ dir }) => {
    const { stderr } = await planRecord(dir, ['--dry-run', '--', 'ls']);
    expect(stderr).toMatch(/^note: CPU: psb_cyc=1/m);
    expect((await dir.names()).filter((name) => name.startsWith('perf.data'))).toEqual([]);
  });

  const NASTY = [
    'it\'s a; $(x) `y` "q" \\n % *?[!] #',
    'a=b',
    '~',
    '-n',
    '',
    'two\nlines\n\n',
    '\x1b[31m\t',
    'é\u202e',
    '!',
  ];

  test('prints only commands, which a shell reads as they are meant', async ({ dir }) => {
    const [output] = NASTY as [string];
    const probe = ['--probe', `push=${output}/a:f x=$stack0 'y; $(z)`];
    const { stdout } = await planRecord(dir, ['--dry-run', '--waits', ...probe, '-o', output, '--', 'ls', ...NASTY]);
    const [added, wakings, recording, removed, ...others] = commandsIn(stdout);
    expect(added?.slice(1)).toEqual(['probe', `--exec=${output}/a`, "--add=ptflame:push=f x=$stack0 'y; $(z)"]);
    expect(wakings?.slice(1, 4)).toEqual(['record', '-o', `${output}.wakes.data`]);
    expect(recording?.slice(1, 4)).toEqual(['record', '-o', output]);
    expect(recording?.slice(recording.indexOf('--') + 1)).toEqual(['ls', ...NASTY]);
    expect(removed).toContain('--del=ptflame:*');
    expect(others).toEqual([]);
    expect(stdout).not.toContain('--control'); // nobody would answer
  });

  test('prints the command for CPUs that this machine lacks, with a warning', async ({ dir }) => {
    const run = await planRecord(dir, ['-C', '2-7', '--dry-run']);
    expect(run).toMatchObject({
      exitCode: 0,
      stderr: expect.stringMatching(/^warning: CPUs not online on this machine: 4, 5, 6, 7\n/),
    });
    expect(run.stdout).toMatch(/^\S+ record .* -C 2,3,4,5,6,7 /);
    expect((await planRecord(dir, ['-C', '2-7', '--dry-run', '--quiet'])).stderr).toBe('');
  });

  test('works on any machine', async () => {
    expect(await ptflame(['record', '-a', '-q', '--dry-run'])).toMatchObject({ exitCode: 0, stderr: '' });
  });
});
