/**
 * What users of the command line meet everywhere: where tables go, one word for each notion, inputs and outputs that belong
 * to other commands, readers that leave, and narrow terminals.
 */
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { Directory, expectRefusal, fixturePath, PROGRAM, ptflame, test } from '../../helpers/cli/run-cli.js';

const DEMO = fixturePath('demo/threads.perf.txt.gz');
const WAITS = fixturePath('waits/waits.txt.gz');
const REQUESTS = fixturePath('waits/requests.txt.gz');

/** A trace with each kind of file that is made of it, made once: tests write no file of these names. */
const dir = new Directory(await mkdtemp(join(tmpdir(), 'ptflame-manners-')));
const at = { cwd: dir.path };
beforeAll(async () => {
  const kinds = 'html svg folded json pb.gz pftrace callgrind parquet firefox.json speedscope.json'.split(' ');
  await ptflame(['import', DEMO, '-o', 't.ptf'], at);
  await ptflame(['render', 't.ptf', ...kinds.flatMap((kind) => ['-o', `f.${kind}`])], at);
  await ptflame(['report', 't.ptf', '-o', 'r.csv', '-o', 'r.json'], at);
  await ptflame(['export', 't.ptf', '--to', 'parquet:fleet', '--build', 'v1'], at);
}, 130_000);
afterAll(() => rm(dir.path, { recursive: true }));

describe.concurrent('-o of tables', () => {
  test.for([
    ['report', ['report', DEMO]],
    ['latency', ['latency', 'take', DEMO]],
    ['stacks', ['stacks', DEMO, '--at', '+1us']],
    ['waits', ['waits', WAITS]],
    ['locks', ['locks', WAITS]],
    ['requests', ['requests', 'handle_request', REQUESTS]],
    ['values', ['values', 'sched:sched_switch:prev_state', fixturePath('waits/values.txt.gz')]],
    ['diff', ['diff', DEMO, DEMO]],
  ] as const)('%s writes what it prints', async ([, args], { dir }) => {
    const at = { cwd: dir.path };
    const run = await ptflame([...args, '-o', 'x.txt', '-o', 'x.csv', '-o', 'x.json'], at);
    expect(run).toMatchObject({ exitCode: 0, stdout: '' });
    expect(run.stderr).toMatch(/wrote x\.csv: /);
    expect(await dir.read('x.txt')).toBe((await ptflame([...args, '-q'], at)).stdout);
    expect(await dir.read('x.csv')).toBe((await ptflame([...args, '--csv'], at)).stdout);
    expect(await dir.read('x.json')).toBe((await ptflame([...args, '--json'], at)).stdout);
  });

  test('--json is the format of names without an ending, and is printed beside other files', async ({ dir }) => {
    const at = { cwd: dir.path };
    const { stdout: json } = await ptflame(['report', DEMO, '--json'], at);
    expect((await ptflame(['report', DEMO, '--json', '-o', 'plain'], at)).stdout).toBe('');
    expect(await dir.read('plain')).toBe(json);
    expect((await ptflame(['report', DEMO, '--json', '-o', 'x.CSV'], at)).stdout).toBe(json);
    expect(await dir.read('x.CSV')).toBe((await ptflame(['report', DEMO, '--csv'], at)).stdout);
  });

  test('refuses what -o of render refuses, in the same words', async () => {
    const text = (await ptflame(['report', 't.ptf'], at)).stdout;
    await dir.write('same.csv', text);
    for (const command of ['render', 'report']) {
      const format = command === 'render' ? 'svg' : 'csv';
      const refused = (output: string[]) => ptflame([command, 't.ptf', ...output], at);
      expectRefusal(
        await refused(['-o', `x.${format}`, '-o', `x.${format}`]),
        2,
        /is named twice/,
        /nothing was written/,
      );
      expectRefusal(await refused(['-o', `no/x.${format}`]), 1, /its directory does not exist/, /choose another path/);
    }
    expectRefusal(await ptflame(['report', DEMO, 'same.csv', '-o', 'same.csv'], at), 2, /is the input itself/);
    expect(await dir.read('same.csv')).toBe(text);
  });
});

describe.concurrent('earlier spellings work, and say the new one', () => {
  test.for([
    [['report', DEMO, '--threads'], ['report', DEMO, '--by', 'thread'], '--by thread'],
    [['latency', 'take', DEMO, '--by-caller'], ['latency', 'take', DEMO, '--by', 'caller'], '--by caller'],
    [['latency', '^take', DEMO, '--regex'], ['latency', '/^take/', DEMO], "'/…/'"],
    [['waits', REQUESTS, '--in', 'handle_request'], ['waits', REQUESTS, '--inside', 'handle_request'], '--inside'],
  ] as const)('%j', async ([before, after, spelling]) => {
    const [old, now] = [await ptflame([...before, '--csv']), await ptflame([...after, '--csv'])];
    expect(old.stdout).toBe(now.stdout);
    expect(old.stderr).toBe(`${old.stderr.split('\n')[0]}\n${now.stderr}`);
    expect(old.stderr).toMatch(/^note: --/);
    expect(old.stderr.split('\n')[0]).toContain(spelling);
    expect((await ptflame([...before, '--csv', '-q'])).stderr).not.toContain('will be removed');
  });

  test('waits --inside takes durations, as elsewhere', async () => {
    const calls = async (inside: string) =>
      JSON.parse((await ptflame(['waits', REQUESTS, '--json', '--inside', inside])).stdout).inside.calls;
    const [all, short, long] = [
      await calls('handle_request'),
      await calls('handle_request#,12ms'),
      await calls('handle_request#12ms,'),
    ];
    expect(short).toBeGreaterThan(0);
    expect(long).toBeGreaterThan(0);
    expect(short + long).toBe(all);
  });
});

describe.concurrent('outputs of another kind', () => {
  test.for([
    ['import t.ptf -o x.html', /named like another kind/, /ptflame render t\.ptf -o x\.html draws a page/],
    ['import t.ptf -o x.csv', /named like another kind/, /ptflame report t\.ptf -o x\.csv writes the table/],
    ['pack t.data -o x.ptf', /named like another kind/, /ptflame import t\.data -o x\.ptf/],
    ['serve t.ptf --levels x.svg', /named like another kind/, /ptflame render t\.ptf -o x\.svg draws/],
    ['record -p 1 -o x.pack', /ends like another kind/, /ptflame pack perf\.data -o x\.pack/],
    ['doctor -o x.html', /ends like another kind/, /--render x\.html/],
    ['render t.ptf -o x.ptf', /unknown file ending/, /ptflame import INPUT -o x\.ptf writes an imported trace/],
    ['render t.ptf -o parquet:x', /unknown file ending/, /ptflame export INPUT --to parquet:x writes a folder/],
    ['render t.ptf -o s3://x/y.html', /is an address/, /name a file/],
    ['record -p 1 --render x.csv', /unknown file ending/, /ptflame report INPUT -o x\.csv/],
    ['merge p.json -o x.pack', /unknown file ending/, /ptflame pack RECORDING/],
    ['demo -o x.csv', /unknown file ending/, /ptflame report/],
    ['report t.ptf -o x.html', /unknown file ending/, /ptflame render INPUT -o x\.html draws a page/],
    ['stacks t.ptf --at +1us -o x.svg', /unknown file ending/, /draws a picture/],
    ['diff t.ptf t.ptf -o x.ptf', /unknown file ending/, /ptflame import/],
    ['fleet fleet -o x.html', /unknown file ending/, /ptflame render/],
    ['info t.ptf -o x.csv', /unknown file ending/, /\.txt, \.json/],
    ['export t.ptf --to x.html', /--to must be parquet:DIR/, /./],
    ['export t.ptf --to parquet:x.html', /draws a page/, /./],
    ['export t.ptf --to fleet', /did you mean parquet:fleet\?/, /./],
    ['export t.ptf -o x.html', /unknown option -o/, /ptflame render INPUT -o x\.html draws a page/],
    ['export t.ptf -o fleet', /unknown option -o/, /export writes where --to says/],
  ] as const)('%s', async ([line, message, hint]) => {
    const run = await ptflame(line.split(' '));
    expectRefusal(run, 2, message, hint);
  });

  test('a folder is not made two levels deep', async ({ dir }) => {
    const at = { cwd: dir.path };
    const run = await ptflame(['export', DEMO, '--to', 'parquet:no/such/x'], at);
    expectRefusal(run, 1, /cannot create the folder no\/such\/x: .*such does not exist/, /mkdir -p/);
    expect(existsSync(dir.file('no'))).toBe(false);
    expect((await ptflame(['export', DEMO, '--to', 'parquet:one'], at)).exitCode).toBe(0);
    const page = await ptflame(['page', '--to', 'no/such/x'], at);
    expectRefusal(page, 1, /cannot create the folder no\/such\/x: .*such does not exist/, /mkdir -p/);
    expect(existsSync(dir.file('no'))).toBe(false);
  });
});

describe.concurrent('inputs that are no traces', () => {
  test('are named by their content, whatever they are called', async () => {
    const kinds = {
      'f.html': /is a report that ptflame drew/,
      'f.svg': /is a picture that ptflame drew/,
      'f.folded': /is folded stacks/,
      'f.pb.gz': /is a profile for pprof/,
      'f.pftrace': /is a trace for Perfetto/,
      'f.callgrind': /is a profile for KCachegrind/,
      'f.parquet': /is a Parquet table/,
      'f.firefox.json': /Firefox profiler/,
      'r.csv': /is a table \(CSV\)/,
      'r.json': /is an answer that ptflame wrote as JSON \(report\)/,
      fleet: /is a folder of tables that ptflame export wrote/,
      [process.execPath]: /is a program or library/,
      'https://x.org/perf.data': /is an address/,
    };
    for (const [path, what] of Object.entries(kinds)) {
      expectRefusal(await ptflame(['render', path], at), 1, what);
      expectRefusal(await ptflame(['latency', 'f', path], at), 1, what);
      if (path === 'fleet') continue;
      expectRefusal(await ptflame(['info', path], at), 1, what);
      if (!path.startsWith('f.')) continue;
      await copyFile(dir.file(path), dir.file('unnamed'));
      expectRefusal(await ptflame(['render', 'unnamed'], at), 1, what);
    }
    expectRefusal(await ptflame(['merge', 'f.html'], at), 1, /is a report/);
    expectRefusal(await ptflame(['export', 'f.svg', '--to', 'parquet:fleet'], at), 1, /is a picture/);
    expectRefusal(await ptflame(['pack', 'f.html', '-o', 'x.pack'], at), 1, /is a report/);
    expectRefusal(await ptflame(['serve', 'f.html'], at), 1, /is a report/);
    expectRefusal(await ptflame(['fleet', 'f.html'], at), 1, /is a report/);
  });
});

test.concurrent('every command ends quietly when its reader closes the pipe', async () => {
  const lines = [
    'report t.ptf --by thread',
    'latency take t.ptf --json',
    'stacks t.ptf --at +1us --json',
    'diff t.ptf t.ptf --json',
    'info t.ptf',
    'help --man',
    'render --help-all',
    'completion zsh',
    'render t.ptf -o - --format html',
    'render t.ptf --format json -o -',
    `waits ${WAITS} --json`,
    'import t.ptf -o -',
  ];
  for (const line of lines) {
    const script = `"$NODE" "$PROGRAM" ${line} 2>err | :; echo "\${PIPESTATUS[0]}"; cat err`;
    const { stdout } = await execa('bash', ['-c', script], { ...at, env: { NODE: process.execPath, PROGRAM } });
    expect(`${line}: ${stdout.split('\n')[0]}`).toBe(`${line}: 0`);
    expect(stdout).not.toMatch(/EPIPE|internal error|\n +at /);
  }
});

describe.concurrent('COLUMNS=80', () => {
  test.for([
    ['report', DEMO],
    ['report', DEMO, '--by', 'thread'],
    ['latency', 'take', DEMO, '--slowest', '1'],
    ['stacks', DEMO, '--at', '+1us'],
    ['waits', WAITS, '--slowest', '2'],
    ['locks', WAITS, '--slowest', '2'],
    ['diff', DEMO, DEMO],
    ['info', DEMO],
    ['info', fixturePath('recordings/waits.data')],
    ['doctor'],
    ['values', 'nosuch:id', fixturePath('waits/values.txt.gz')],
    ['rendr', '--help'],
    ['render', '/bin/ls'],
  ] as const)('%j keeps to 80 columns', async (args) => {
    const { stdout, stderr } = await ptflame(args, { env: { COLUMNS: '80' } });
    expect(`${stdout}${stderr}`.split('\n').filter((line) => [...line].length > 80 && / /.test(line.trim()))).toEqual(
      [],
    );
  });
});

describe.concurrent('wrong command lines are answered with what was meant', () => {
  test.for([
    ['draw x', 2, /unknown command draw/, /did you mean render\?/],
    ['top x', 2, /unknown command top/, /did you mean report\?/],
    ['script x', 2, /unknown command script/, /did you mean import\?/],
    ['help flamegraph', 2, /unknown command flamegraph/, /did you mean render\?/],
    ['nosuch.data', 2, /unknown command/, /the command comes first: ptflame render nosuch\.data/],
    ['report x --limit 9', 2, /unknown option --limit/, /did you mean --top N\?/],
    ['waits x --thread 1', 2, /unknown option --thread/, /did you mean --tid LIST\?/],
    ['render x --html', 2, /unknown option --html/, /did you mean --output FILE\?/],
    ['record -p nginx', 2, /--pid must be a list/, /--help/],
    [`render ${DEMO} new.html`, 1, /new\.html is no file that exists/, /-o new\.html/],
    [`latency ${DEMO} take`, 2, /FUNCTION comes before the input/, /ptflame latency take/],
    ['export x --to parquet', 2, /must be parquet:DIR/, /./],
  ] as const)('%s', async ([line, code, message, hint]) => {
    expectRefusal(await ptflame(line.split(' ')), code, message, hint);
  });
});
