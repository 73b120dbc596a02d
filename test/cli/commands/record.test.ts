/**
 * `ptflame record`: what perf is told, how it lives and ends, and what is left on the disk; with a perf that only plays.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdir, stat } from 'node:fs/promises';
import { describe, expect, vi } from 'vitest';
import { RecordingNotes } from '../../../cli/perf/record/recording-notes.js';
import { expectRefusal, fixturePath, ptflame, test } from '../../helpers/cli/run-cli.js';
import { RECORDED_ROOT, recordingPath } from '../../helpers/perf/perf.js';
import { heard, logOf, planRecord, record, recordArguments, startRecord } from '../../helpers/perf/record-runs.js';
import { isMissing } from '../../tools/needs.js';

const NOTES = (host: string) => JSON.stringify({ format: 'ptflame-recording', host }, null, 2);
const SHORT = ['-p', '1', '-t', '10ms'];

/** A file at the path FAILING never reaches the disk. */
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

describe.concurrent('what perf is told', () => {
  test('a process is recorded for some time: perf begins and pauses at our word', async ({ dir }) => {
    const { exitCode, stdout, stderr } = await record(dir, SHORT);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' });
    expect(stderr).toMatch(
      /^recording process 1 for 10 ms; Ctrl-C ends it and keeps it\nwrote perf\.data: [^\n]+\nnext: ptflame render perf\.data -o flame\.html\n$/,
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
  ])('%j', async ([flags, wanted], { dir }) => {
    const { stdout } = await planRecord(dir, [...flags, '-t', '1ms', '--dry-run']);
    expect(JSON.parse(stdout.split('\n')[1]).join('\0')).toContain(wanted.join('\0'));
  });

  test('with the kernel its code is kept, and the output is a directory', async ({ dir }) => {
    expect((await record(dir, [...SHORT, '--kernel'])).exitCode).toBe(0);
    expect(recordArguments(dir)).toEqual(expect.arrayContaining(['intel_pt/cyc=1,mtc_period=0/', '--kcore']));
    expect(readdirSync(dir.file('perf.data'))).toEqual(['data']);
  });

  test('an old CPU has no cycles', async ({ dir }) => {
    expect((await record(dir, SHORT, { machine: { caps: { psb_cyc: '0' } } })).exitCode).toBe(0);
    expect(recordArguments(dir)).toContain('intel_pt//u');
  });

  test('an old perf is not told when to begin', async ({ dir }) => {
    expect((await record(dir, SHORT, { play: { VERSION: 'perf version 5.4.0' } })).exitCode).toBe(0);
    expect(recordArguments(dir).slice(-5)).toEqual(['-p', '1', '--', 'sleep', '0.01']);
  });

  test('a user who may lock little gets small buffers', async ({ dir }) => {
    await record(dir, SHORT, { machine: { uid: 1000, capabilities: '0' } });
    expect(recordArguments(dir)).toContain('256K,2M');
  });

  test('names of all kinds arrive as they are', async ({ dir }) => {
    const odd = ['it\'s a; $(touch gone) `x` "q" \\ *', '-x', '--', 'new\nline', '', '007', '-'];
    const output = "o'ut put; $(x)\n.data";
    const filter = "filter 'a b'; $(x)\n@ /b";
    const args = ['-o', output, '--filter', filter, '--', process.execPath, '-e', '0', ...odd];
    expect((await record(dir, args)).exitCode).toBe(0);
    const told = recordArguments(dir);
    expect(told.slice(told.indexOf('--') + 1)).toEqual([process.execPath, '-e', '0', ...odd]);
    expect(told[told.indexOf('-o') + 1]).toBe(output);
    expect(told[told.indexOf('--filter') + 1]).toBe(filter);
    expect(existsSync(dir.file(output))).toBe(true);
  });

  test('an output may begin with a dash', async ({ dir }) => {
    expect((await record(dir, [...SHORT, '-o=-x'])).exitCode).toBe(0);
    expect(existsSync(dir.file('-x'))).toBe(true);
  });
});

describe.concurrent('a command', () => {
  const NODE = (script: string) => ['--', process.execPath, '-e', script];

  test('has our standard streams', async ({ dir }) => {
    const script = "process.stdin.on('data', (t) => { console.log('out', String(t)); console.error('err'); })";
    const run = await record(dir, NODE(script), { input: 'hello' });
    expect(run).toMatchObject({ exitCode: 0, stdout: 'out hello\n' });
    expect(run.stderr).toMatch(/^err$/m);
    expect(run.stderr).not.toContain('perf record');
  });

  test('ends as it likes: its exit code is told, and is not ours', async ({ dir }) => {
    const { exitCode, stderr } = await record(dir, NODE('process.exit(3)'));
    expect(exitCode).toBe(0);
    expect(stderr).toContain('the workload ended with exit code 3\n');
    const notes = RecordingNotes.parse(JSON.parse(readFileSync(dir.file('perf.data.ptflame.json'), 'utf8')));
    expect(notes).toMatchObject({ endedBy: 'target', workload: { exitCode: 3, signal: null } });
  });

  test('is ended when its time is over', async ({ dir }) => {
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
    [[], /what is to be recorded/],
    [['-p', '1', '-a'], /more than one target/],
    [['--'], /no command behind --/],
    [['-a', '--per-thread'], /--per-thread is of processes/],
    [['-p', '1', '-t', '5'], /--time must be a time.*with a unit/],
    [['-p', '1', '-m', '3M'], /power of two/],
    [['-p', '1', '--user', '--kernel'], /exclude each other/],
    [['-p', '1', '--cyc', '--no-cyc'], /exclude each other/],
    [['-p', '1', '--only', 'f'], /--only needs the file/],
    [['-p', '1', '--only', 'a b', '--binary', 'x'], /perf cannot filter by a function with a blank/],
    [['-p', '1', '--trigger', 'signal'], /--trigger is of snapshots/],
    [['-p', '1', '--snapshot', '--trigger', 'commit'], /--trigger commit: a snapshot at a call/],
    [['-p', '1', '-o', '-'], /standard output/],
    [['-p', '1', '-o', 'flame.svg'], /flame\.svg ends as another kind of file/],
    [['-p', '1', '--dry-run', '-o', 'a/x.PTF'], /x\.PTF ends as another/],
    [['-p', '1', '--render', 'flame.png'], /unknown file ending: flame\.png/],
    [['ls', '-l', '--color'], /unexpected argument: ls$/],
  ] as const)('%j', async ([args, message], { dir }) => {
    expectRefusal(await planRecord(dir, args), 2, message);
    expect(logOf(dir).filter(([first]) => first === 'record')).toEqual([]);
  });

  test('a command without --, and tells where it belongs', async ({ dir }) => {
    expectRefusal(await planRecord(dir, ['ls']), 2, /unexpected argument: ls$/, /after --: ptflame record -- ls/);
  });

  test.for([
    [['--mtc-period', '1'], /does not offer mtc_period=1/, /0, 3, 6, 9/],
    [['--cyc-thresh', '13'], /does not offer cyc_thresh=13/, /12/],
    [['-C', '17'], /no CPU 17/, /0, 1, 2, 3/],
  ] as const)('what the machine does not offer: %j', async ([args, message, hint], { dir }) => {
    expectRefusal(await planRecord(dir, [...(args[0] === '-C' ? [] : ['-p', '1']), ...args]), 1, message, hint);
  });

  test('a machine without Intel PT, and does not start perf', async ({ dir }) => {
    const machine = { caps: null, vendor: 'AuthenticAMD', model: 'AMD EPYC' };
    expectRefusal(await planRecord(dir, SHORT, { machine }), 1, /no Intel PT: .*AMD EPYC/, /ptflame doctor/);
    expect(logOf(dir)).toEqual([]);
  });

  test('buffers that do not fit into memory', async ({ dir }) => {
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
    const play = { SAYS: fixturePath(`perf-stderr/${name}.txt`), EXIT: code, PLAY: 'empty' };
    const { exitCode, stderr } = await record(dir, SHORT, { play });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/^ {2}\| /m); // perf's own words
    expect((await dir.names()).filter((each) => each.startsWith('perf.data'))).toEqual([]);
  });

  test('cannot move the cursor by its words', async ({ dir }) => {
    const SAYS = await dir.write('says', 'oh no \x1b[2J\n');
    expect((await record(dir, SHORT, { play: { SAYS, EXIT: '1', PLAY: 'none' } })).stderr).toContain(
      '| oh no \\x1b[2J\n',
    );
  });

  test('says once that a command fails to start', async ({ dir }) => {
    const play = { SAYS: fixturePath('perf-stderr/workload-missing.txt'), EXIT: '255', PLAY: 'empty' };
    const { stderr, exitCode } = await record(dir, ['--', '/nonexistent/cmd'], { play });
    expect(exitCode).toBe(1);
    expect(stderr.match(/Failed to collect/g)).toHaveLength(1);
  });

  test('is explained: the disk is full', async ({ dir }) => {
    const SAYS = await dir.write('says', 'failed to write perf data, error: No space left on device\n');
    const { exitCode, stderr } = await record(dir, SHORT, { play: { SAYS, EXIT: '255', PLAY: 'empty' } });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/the disk is full/);
  });

  test('is named with its exit code if it said nothing', async ({ dir }) => {
    const { exitCode, stderr } = await record(dir, SHORT, { play: { EXIT: '7', PLAY: 'none' } });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/perf record failed with exit code 7, without a word/);
  });

  test('leaves no recording without an end, whatever its exit code; what was there before is back', async ({ dir }) => {
    const before = { 'perf.data': 'PERFILE2 before', 'perf.data.old': 'PERFILE2 older' };
    const notes = { 'perf.data.ptflame.json': NOTES('before'), 'perf.data.old.ptflame.json': NOTES('older') };
    const all = { ...before, ...notes };
    for (const [name, content] of Object.entries(all)) await dir.write(name, content);
    const { exitCode, stderr } = await record(dir, SHORT, { play: { PLAY: 'empty' } });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/ptflame: perf (?:left|record was ended)/);
    for (const [name, content] of Object.entries(all)) expect(await dir.read(name)).toBe(content);
    expect((await dir.names()).filter((name) => name.startsWith('perf.data'))).toEqual(Object.keys(all).sort());
  });

  test('may be one that is not there', async ({ dir }) => {
    expectRefusal(
      await planRecord(dir, SHORT, { perf: '/nowhere/perf' }),
      1,
      /there is no \/nowhere\/perf/,
      /apt install/,
    );
  });
});

describe.concurrent('the output', () => {
  test('moves an existing one to .old, with its notes', async ({ dir }) => {
    for (let each = 0; each < 3; each++) expect((await record(dir, SHORT)).exitCode).toBe(0);
    const names = (await dir.names()).filter((name) => name.startsWith('perf.data'));
    expect(names).toEqual(['perf.data', 'perf.data.old', 'perf.data.old.ptflame.json', 'perf.data.ptflame.json']);
  });

  test.for([
    [[], 'perf.data'],
    [['--kernel'], 'perf.data/data'],
  ] as const)('%j is on the disk before it is said to be written', async ([flags, written], { dir }) => {
    const noDisk = await dir.write('no-disk.mjs', FAILING_SYNC);
    const env = { NODE_OPTIONS: `--import ${noDisk}`, FAILING: written };
    const { exitCode, stderr } = await record(dir, [...SHORT, ...flags], { env });
    expect(stderr).toMatch(/ptflame: cannot write perf\.data to the disk: .*no disk\n {2}choose another place/);
    expect(stderr).not.toContain('wrote perf.data');
    expect(exitCode).toBe(1);
    expect((await dir.names()).filter((name) => name.startsWith('perf.data'))).toEqual([]);
  });

  test('directories of the kernel move to .old too', async ({ dir }) => {
    for (let each = 0; each < 3; each++) expect((await record(dir, [...SHORT, '--kernel'])).exitCode).toBe(0);
    expect((await stat(dir.file('perf.data.old'))).isDirectory()).toBe(true);
  });

  test('a directory of something else stays', async ({ dir }) => {
    await mkdir(dir.file('perf.data'));
    await dir.write('perf.data/thesis.tex', 'years of work');
    expectRefusal(await planRecord(dir, SHORT), 1, /is no recording/);
    expect(await dir.read('perf.data/thesis.tex')).toBe('years of work');
  });

  test.for([
    ['perf.data', 'years of work'],
    ['perf.data.old', 'years of work'],
    ['perf.data.ptflame.json', '{"years": "of work"}'],
    ['perf.data.old.ptflame.json', '{"years": "of work"}'],
  ] as const)(
    '%s is no recording and no notes: it stays, and perf is not started',
    async ([name, content], { dir }) => {
      await dir.write('perf.data', 'PERFILE2 before');
      await dir.write(name, content);
      expectRefusal(await planRecord(dir, SHORT), 1, /perf\.data.* is there already/, /another name/);
      expect(await dir.read(name)).toBe(content);
      expect(logOf(dir).filter(([first]) => first === 'record')).toEqual([]);
    },
  );

  test.for(['perf.data', 'perf.data.old'])('%s is read-only: it stays', async (name, { dir }) => {
    await dir.write('perf.data', 'PERFILE2 before');
    await dir.write(name, 'PERFILE2 read-only');
    await chmod(dir.file(name), 0o444);
    expectRefusal(await planRecord(dir, SHORT), 1, /perf\.data.* is read-only/, /another name/);
    expect(await dir.read(name)).toBe('PERFILE2 read-only');
  });

  test('an older recording is replaced only by one that is whole; an empty file replaces none', async ({ dir }) => {
    await dir.write('perf.data', '');
    await dir.write('perf.data.old', 'PERFILE2 older');
    expect((await record(dir, SHORT)).exitCode).toBe(0);
    expect(await dir.read('perf.data.old')).toBe('PERFILE2 older');
    expect((await record(dir, SHORT)).exitCode).toBe(0);
    expect(await dir.read('perf.data.old')).toMatch(/^PERFILE2h\0/);
  });

  test('notes tell how it was made', async ({ dir }) => {
    await record(dir, SHORT);
    const notes = RecordingNotes.parse(JSON.parse(await dir.read('perf.data.ptflame.json')));
    expect(notes).toMatchObject({ perf: '6.1.192', kernel: '6.1.0-test', endedBy: 'time', buffers: 4, workload: null });
    expect(notes.startedAt).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
    expect(notes.durationNs).toBeGreaterThan(0);
  });
});

describe.concurrent('signals', () => {
  test.for(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const)(
    '%s stops it now, and it is kept',
    async (signal, { dir }) => {
      const { running } = await startRecord(dir, ['-p', '1', '-t', '10m']);
      await heard(dir, 'enable');
      await new Promise((done) => setTimeout(done, 200));
      running.kill(signal);
      const { exitCode, stderr } = await running;
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.stringContaining('wrote perf.data') });
      expect(RecordingNotes.parse(JSON.parse(await dir.read('perf.data.ptflame.json'))).endedBy).toBe('interrupt');
    },
  );

  test('a terminal that closes sends SIGHUP twice: the recording is kept', async ({ dir }) => {
    const { running } = await startRecord(dir, ['-p', '1', '-t', '10m'], { play: { PLAY: 'slow' } });
    await heard(dir, 'enable');
    await new Promise((done) => setTimeout(done, 200));
    running.kill('SIGHUP');
    await heard(dir, 'disable');
    running.kill('SIGHUP');
    expect(await running).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('wrote perf.data') });
  });

  test('a variable that no shell knows reaches the command', async ({ dir }) => {
    const args = ['--', process.execPath, '-e', "console.log(process.env['a.b-c'], process.env['PLAIN'])"];
    const run = await record(dir, args, { env: { 'a.b-c': "it's; $(odd)", PLAIN: 'x' } });
    expect(run).toMatchObject({ exitCode: 0, stdout: "it's; $(odd) x\n" });
  });

  test('a second Ctrl-C kills, and nothing is promised', async ({ dir }) => {
    const { running } = await startRecord(dir, ['-p', '1', '-t', '10m'], { play: { PLAY: 'deaf' } });
    await heard(dir, 'enable');
    await new Promise((done) => setTimeout(done, 200));
    running.kill('SIGINT');
    await heard(dir, 'disable');
    running.kill('SIGINT');
    const { exitCode, stderr } = await running;
    expect(exitCode).toBe(130);
    expect(stderr).toContain('perf was killed');
    expect((await dir.names()).filter((name) => name.startsWith('perf.data'))).toEqual([]);
  });

  test('a perf that hangs at its start can be interrupted', async ({ dir }) => {
    const { running } = await startRecord(dir, SHORT, { play: { PLAY: 'hang' } });
    await heard(dir, 'enable');
    running.kill('SIGINT');
    await new Promise((done) => setTimeout(done, 300));
    running.kill('SIGINT');
    expect((await running).exitCode).toBe(130);
  });

  test('SIGUSR2 takes a snapshot, as often as it comes', async ({ dir }) => {
    const { running } = await startRecord(dir, ['-p', '1', '--snapshot', '--trigger', 'signal']);
    await heard(dir, 'enable');
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
  test.skipIf(isMissing('perf'))('draws what was recorded, and tells where and when that was', async ({ dir }) => {
    const play = { RECORDING: recordingPath('cpus-2'), SYMFS: RECORDED_ROOT };
    const run = await record(dir, [...SHORT, '--render', 'flame.svg', '--render', 'out.folded'], { play });
    expect(run.exitCode).toBe(0);
    const { startedAt } = RecordingNotes.parse(JSON.parse(readFileSync(dir.file('perf.data.ptflame.json'), 'utf8')));
    const svg = readFileSync(dir.file('flame.svg'), 'utf8');
    expect(svg).toContain('recorded on ptemu · 5 threads');
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
    expect(run).toMatchObject({ exitCode: 0, stderr: '' });
    const lines = run.stdout.split('\n');
    expect(lines[0]).toMatch(
      /^'\/no where\/perf' record -o perf\.data -e intel_pt\/cyc=1,mtc_period=0\/u -m ,32M -p 1/,
    );
    expect(JSON.parse(lines[1]).slice(0, 3)).toEqual(['/no where/perf', 'record', '-o']);
    expect(lines[2]).toBe("ptflame render perf.data -o 'a b.svg'");
    expect(run.stdout).toMatch(/by hand, without ptflame:\n.* -p 1 -- sleep 1\n/);
    expect(run.stdout).toMatch(/assumed of the CPU: psb_cyc=1/);
    expect(run.stdout).toMatch(/assumed of perf: 5\.10/);
  });

  test('tells what the CPU offers where there is Intel PT', async ({ dir }) => {
    const { stdout } = await planRecord(dir, ['--dry-run', '--', 'ls', "it's"]);
    expect(stdout).toMatch(/-- ls 'it'\\''s'\n/);
    expect(stdout).toMatch(/as the CPU says: psb_cyc=1/);
    expect((await dir.names()).filter((name) => name.startsWith('perf.data'))).toEqual([]);
  });

  test('prints the command for CPUs that this machine lacks, and warns', async ({ dir }) => {
    const run = await planRecord(dir, ['-C', '2-7', '--dry-run']);
    expect(run).toMatchObject({ exitCode: 0, stderr: 'warning: this machine has no CPU 4, 5, 6, 7 online\n' });
    expect(run.stdout).toMatch(/^\S+ record .* -C 2,3,4,5,6,7 /);
    expect((await planRecord(dir, ['-C', '2-7', '--dry-run', '--quiet'])).stderr).toBe('');
  });

  test('works on this machine, whatever it is', async () => {
    expect(await ptflame(['record', '-a', '--dry-run'])).toMatchObject({ exitCode: 0, stderr: '' });
  });
});
