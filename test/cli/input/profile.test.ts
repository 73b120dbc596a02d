/**
 * `ptflame render` writes profiles and reads them back.
 */
import { readFile } from 'node:fs/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import {
  type Directory,
  expectRefusal,
  fixturePath,
  ptflame,
  SIX_LINES,
  THREE_THREADS,
  test,
} from '../../helpers/cli/run-cli.js';

const MIGRATING = fixturePath('lab/thread-create-switch-migrate.txt');

async function profileIn(dir: Directory, trace = MIGRATING): Promise<string> {
  const run = await ptflame(['render', trace, '-o', 'out.json', '--quiet'], { cwd: dir.path });
  expect(run).toEqual({ exitCode: 0, stdout: '', stderr: '' });
  return dir.file('out.json');
}

const profileOfThree = async (dir: Directory) => profileIn(dir, await dir.write('trace.txt', THREE_THREADS));

describe.concurrent('a profile', () => {
  test('renders to the same bytes as the trace, summary included', async ({ dir }) => {
    const path = await profileIn(dir);
    for (const args of [['--annotate', '--by', 'thread'], ['--min-ns', '1000'], []])
      expect(await ptflame(['render', path, ...args])).toEqual(await ptflame(['render', MIGRATING, ...args]));
  });

  test('is the same whether chosen by file name or --format, or written from a profile', async ({ dir }) => {
    const path = await profileIn(dir);
    const text = await readFile(path, 'utf8');
    expect(JSON.parse(text)).toMatchObject({ format: 'ptflame-profile', version: 2 });
    expect((await ptflame(['render', MIGRATING, '--format', 'json'])).stdout).toBe(text);
    expect((await ptflame(['render', path, '--format', 'json'])).stdout).toBe(text);
    await ptflame(['render', path, '-o', path]);
    expect(await readFile(path, 'utf8')).toBe(text);
  });

  test('may be written together with folded stacks', async ({ dir }) => {
    await ptflame(['render', MIGRATING, '-o', 'out.JSON', '-o', 'out.folded'], { cwd: dir.path });
    expect((await ptflame(['render', dir.file('out.JSON')])).stdout).toBe(await dir.read('out.folded'));
  });

  test('is recognized by its content: under any name, compressed, reformatted, from a pipe', async ({ dir }) => {
    const text = await readFile(await profileIn(dir), 'utf8');
    const folded = await ptflame(['render', MIGRATING]);
    const wide = `\n  ${JSON.stringify(JSON.parse(text), null, 2)}\n`;
    for (const content of [gzipSync(text), wide])
      expect(await ptflame(['render', await dir.write('trace.txt', content)])).toEqual(folded);
    expect(await ptflame(['render', '-'], { input: gzipSync(text) })).toEqual(folded);
  });

  test('of a compressed trace is the same as that of its text', async ({ dir }) => {
    const bundled = fixturePath('demo/threads.perf.txt.gz');
    const text = await dir.write('threads.txt', gunzipSync(await readFile(bundled)));
    const json = await ptflame(['render', text, '--format', 'json', '--quiet']);
    expect(await ptflame(['render', bundled, '--format', 'json', '--quiet'])).toEqual(json);
  });
});

test('a trace whose first thread name begins with a brace is not taken for a profile', async ({ dir }) => {
  const trace = THREE_THREADS.replaceAll('server', '{worker}');
  const run = await ptflame(['render', await dir.write('trace.txt', trace), '--by', 'comm']);
  expect(run).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('{worker};work') });
});

describe.concurrent('selecting threads of a profile', () => {
  test.for([
    ['--tid', '101'],
    ['--tid', '0-101,201'],
    ['--pid', '100'],
    ['--comm', '^back'],
    ['--exclude-comm', '^back'],
    ['--comm', 'e', '--exclude-comm', '^back'],
    ['--pid', '100', '--tid', '102'],
  ])('%j gives the same result as for the trace', async (args, { dir }) => {
    const path = await profileOfThree(dir);
    const fromTrace = await ptflame(['render', dir.file('trace.txt'), ...args]);
    expect((await ptflame(['render', path, ...args])).stdout).toBe(fromTrace.stdout);
    expect(fromTrace.stdout).not.toBe('');
  });

  test('counts only the losses of selected threads', async ({ dir }) => {
    const path = await profileIn(dir, fixturePath('lab/overflow-and-lost.txt'));
    const { threads, quality } = JSON.parse(await readFile(path, 'utf8'));
    const cut = quality.gaps[0].tid;
    const run = await ptflame(['render', path, '--tid', String(cut), '--format', 'json']);
    const selected = JSON.parse(run.stdout);
    expect(selected.threads).toEqual(threads.filter(({ tid }: { tid: number }) => tid === cut));
    expect(selected.quality.threadsCut).toBe(1);
    expect(selected.quality.totalNs).toBe(selected.threads[0].endNs - selected.threads[0].startNs);
  });

  test.for([
    [['--tid', '1'], /no thread of the trace is selected/],
    [['--comm', 'nobody'], /no thread of the trace is selected/],
    [['--exclude-comm', '.'], /no thread of the trace is selected/],
  ] as const)('rejects %j, which selects nothing', async ([args, message], { dir }) => {
    const shows = /ptflame report --by thread --top 1 shows which threads there are/;
    expectRefusal(await ptflame(['render', await profileOfThree(dir), ...args]), 1, message, shows);
  });

  test('says which option takes the name of a thread', async () => {
    expectRefusal(await ptflame(['render', 'x', '--tid', 'worker']), 2, /numbers; by name: --comm worker$/);
  });

  test.for([
    [['--pid', '1'], /no process ids/, /-F\+pid/],
    [['--comm', 'x'], /no thread names/, /-F\+comm/],
    [['--exclude-comm', 'x'], /no thread names/, /-F\+comm/],
  ] as const)('rejects %j if the trace lacks this information', async ([args, message, remedy], { dir }) => {
    expectRefusal(await ptflame(['render', await profileIn(dir, SIX_LINES), ...args]), 1, message, remedy);
  });
});

describe.concurrent('ptflame refuses', () => {
  test.for([['--tail-calls', 'replace'], ['--scheduler', 'show'], ['--no-extend'], ['--by-calls'], ['--cpu', '0']])(
    '%j, which needs a replay of the trace',
    async ([flag, ...value], { dir }) => {
      const run = await ptflame(['render', await profileIn(dir), flag, ...value, '-o', dir.file('out.folded')]);
      expectRefusal(
        run,
        2,
        new RegExp(`${flag} cannot be used with .*out\\.json, which is a profile`),
        /the trace itself/,
      );
      expect(await dir.names()).toEqual(['out.json']);
    },
  );

  test('nothing if an option has its default value', async ({ dir }) => {
    expect((await ptflame(['render', await profileIn(dir), '--tail-calls', 'nest'])).exitCode).toBe(0);
  });

  test('a profile together with a trace, in any order, and two profiles', async ({ dir }) => {
    const path = await profileIn(dir);
    for (const inputs of [
      [path, MIGRATING],
      [MIGRATING, path],
      [path, path],
    ])
      expectRefusal(await ptflame(['render', ...inputs]), 1, /out\.json is a profile, not a trace/, /only input/);
  });

  test('a truncated profile, and keeps an existing output', async ({ dir }) => {
    const text = await readFile(await profileIn(dir));
    const cut = await dir.write('cut.json', text.subarray(0, text.length / 2));
    await dir.write('out.folded', 'before\n');
    expectRefusal(await ptflame(['render', cut, '-o', dir.file('out.folded')]), 1, /cut\.json is truncated/, /TRACE/);
    expect(await dir.read('out.folded')).toBe('before\n');
  });

  test('JSON from other programs', async ({ dir }) => {
    const path = await dir.write('other.json', '{"traceEvents":[]}');
    expectRefusal(
      await ptflame(['render', path]),
      1,
      /not a ptflame profile: it looks like a Chrome trace/,
      /perf script/,
    );
  });

  const others = [
    ['latency', 'main', 'other.json'],
    ['render', 'other.json', '-o', 'x.pftrace'],
    ['import', 'other.json', '-o', 'x.ptf'],
    ['info', 'other.json'],
    ['merge', 'other.json', '-o', 'x.svg'],
  ];

  test.for(others)('JSON from other programs: %s', async (args, { dir }) => {
    await dir.write('other.json', '{"traceEvents":[]}');
    const run = await ptflame(args, { cwd: dir.path });
    expectRefusal(
      run,
      1,
      /other\.json is not a ptflame profile: it looks like a Chrome trace/,
      /recordings \(perf\.data\)/,
    );
    expect(await dir.names()).toEqual(['other.json']);
  });
});
