/**
 * `ptflame import`: a trace file gives the same results as the trace itself.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect } from 'vitest';
import { Directory, expectRefusal, fixturePath, ptflame, SIX_LINES, test } from '../../helpers/cli/run-cli.js';
import { RECORDED_ROOT, recordingPath } from '../../helpers/perf/perf.js';
import { needs } from '../../tools/needs.js';

const MIGRATING = fixturePath('lab/thread-create-switch-migrate.txt');
const LOSSES = fixturePath('lab/overflow-and-lost.txt');

/** MIGRATING, imported once for all tests that only read it. */
const shared = new Directory(await mkdtemp(join(tmpdir(), 'ptflame-import-')));
const migrating = await importedIn(shared, [MIGRATING]);
afterAll(() => rm(shared.path, { recursive: true }));

async function importedIn(dir: Directory, inputs: readonly string[], ...flags: string[]): Promise<string> {
  const path = dir.file('trace.ptf');
  const run = await ptflame(['import', ...inputs, '-o', path, '--quiet', ...flags]);
  expect(run).toEqual({ exitCode: 0, stdout: '', stderr: '' });
  return path;
}

describe.concurrent('an imported trace', () => {
  test.for([
    ['--annotate', '--by', 'thread'],
    ['--format', 'json'],
    ['--format', 'svg', '--icicle'],
    ['--tail-calls', 'replace', '--no-extend'],
    ['--memory', '160M'],
    ['-j', '1'],
  ])('renders with %j to the same bytes as the inputs, summary included', async (flags) => {
    expect(await ptflame(['render', migrating, ...flags])).toEqual(await ptflame(['render', MIGRATING, ...flags]));
  });

  test('of a trace with losses renders to the same bytes, too', async ({ dir }) => {
    const path = await importedIn(dir, [LOSSES]);
    expect(await ptflame(['render', path, '--annotate'])).toEqual(await ptflame(['render', LOSSES, '--annotate']));
  });

  test.for([
    ['--tid', '1-2000000'],
    ['--cpu', '0'],
    ['--cpu', '99'],
    ['--pid', '1-999999999'],
    ['--comm', 'thread'],
    ['--exclude-comm', 'thread'],
  ])('selects with %j what it selects of the inputs, during import or later', async (select, { dir }) => {
    const wanted = await ptflame(['render', MIGRATING, '--annotate', ...select]);
    expect(await ptflame(['render', migrating, '--annotate', ...select])).toEqual(wanted);
    const path = dir.file('selected.ptf');
    const run = await ptflame(['import', MIGRATING, '-o', path, '--quiet', ...select]);
    if (wanted.exitCode !== 0) expect(run).toEqual(wanted);
    else expect(await ptflame(['render', path, '--annotate'])).toEqual(wanted);
  });

  test('may have no times', async ({ dir }) => {
    const timeless = fixturePath('lab/fields-timeless-no-time.txt');
    const path = await importedIn(dir, [timeless]);
    for (const flags of [[], ['--by-calls']])
      expect(await ptflame(['render', path, ...flags])).toEqual(await ptflame(['render', timeless, ...flags]));
  });

  test('is the same file from a pipe or compressed input, and may be written to a pipe', async ({ dir }) => {
    const text = await readFile(MIGRATING);
    const run = (args: string[], input?: Uint8Array) => ptflame(['import', ...args, '--quiet'], input ? { input } : {});
    const bytes = await readFile(migrating);
    await run([await dir.write('t.gz', gzipSync(text)), '-o', dir.file('gz.ptf')]);
    await run(['-', '-o', dir.file('pipe.ptf')], text);
    for (const name of ['gz.ptf', 'pipe.ptf']) expect(await readFile(dir.file(name))).toEqual(bytes);
    const piped = await run([migrating, '-o', '-']);
    expect(piped.stdout.slice(1, 4)).toBe('PTF');
  });

  test('does not overwrite its input', async ({ dir }) => {
    const text = await dir.write('trace.txt', await readFile(MIGRATING));
    expectRefusal(await ptflame(['import', text, '-o', text]), 2, /trace\.txt is the input itself/, /another file/);
    expect(await readFile(text)).toEqual(await readFile(MIGRATING));
  });

  test('is recognized by its content, under any name', async ({ dir }) => {
    const path = await dir.write('trace.txt', await readFile(await importedIn(dir, [SIX_LINES])));
    expect(await ptflame(['render', path])).toEqual(await ptflame(['render', SIX_LINES]));
  });

  test('is the same file for inputs in any order', async ({ dir }) => {
    const lines = (await readFile(MIGRATING, 'utf8')).split('\n').filter((line) => line !== '');
    const of = (cpu: number) => lines.filter((line) => line.includes(`[00${cpu}]`)).map((line) => `${line}\n`);
    const paths = await Promise.all([0, 1, 2, 3].map((cpu) => dir.write(`cpu${cpu}`, of(cpu).join(''))));
    const bytes = await readFile(await importedIn(dir, paths));
    expect(await readFile(await importedIn(dir, paths.toReversed()))).toEqual(bytes);
  });

  test('comes with a summary and warnings', async ({ dir }) => {
    const damaged = fixturePath('damaged/lines-cut.txt');
    const { stderr } = await ptflame(['import', damaged, '-o', dir.file('a.ptf')]);
    const [first, ...others] = stderr.trim().split('\n');
    expect(first).toMatch(/^imported \d+ events of \d+ lines, 1 thread, into .*a\.ptf: .*B, [\d.]+ bytes per event$/);
    expect(others[0]).toMatch(/^warning: \d+ of \d+ lines damaged and skipped$/);
  });
});

describe.concurrent('a trace larger than the memory', () => {
  const text = Array.from({ length: 320_000 }, (_, at) => {
    const time = `1.${String(10 * at + (at % 7)).padStart(9, '0')}`;
    const [inWork, inRow] = [16 * ((at >> 1) % 50), 32 * ((at >> 1) % 7)];
    const [call, back] = [inWork, inWork + 5].map(
      (offset) => `${(0x400000 + offset).toString(16)} work+0x${offset.toString(16)}`,
    );
    const [entry, exit] = [0, 9].map((offset) => `${(0x800000 + inRow + offset).toString(16)} row${inRow}+0x${offset}`);
    const branch = at % 2 === 0 ? `call ${call} => ${entry}` : `return ${exit} => ${back}`;
    return `${1 + ((at >> 9) % 3)} [00${(at >> 10) % 2}] ${time}: ${branch}\n`;
  }).join('');

  test('imports to the same file and renders to the same stacks', async ({ dir }) => {
    const path = await dir.write('large.txt', text);
    const bytes = await readFile(await importedIn(dir, [path], '-j', '2', '--memory', '2G'));
    expect(await readFile(await importedIn(dir, [path], '-j', '1', '--memory', '160M'))).toEqual(bytes);
    const wanted = await ptflame(['render', path, '--annotate', '--quiet']);
    for (const flags of [
      ['--memory', '160M'],
      ['-j', '3', '--memory', '2G'],
    ])
      expect(await ptflame(['render', dir.file('trace.ptf'), '--annotate', '--quiet', ...flags])).toEqual(wanted);
  });

  test('leaves no output if a block is damaged', async ({ dir }) => {
    const trace = await importedIn(dir, [await dir.write('large.txt', text)]);
    const bytes = await readFile(trace);
    const middle = bytes.length >> 1; // where blocks are
    bytes[middle] = bytes[middle] ^ 1;
    await writeFile(trace, bytes);
    const run = await ptflame(['render', trace, '-o', dir.file('out.svg')]);
    expectRefusal(
      run,
      1,
      /trace\.ptf is a damaged trace file: the block at byte \d+ has a wrong checksum/,
      /--salvage/,
    );
    expect(await dir.names()).toEqual(['large.txt', 'trace.ptf']);
  });
});

describe('a recording', () => {
  needs('perf');

  test.for(['cpus-4', 'lossy'])(
    '%s imports to the same file with any number of jobs, and renders to the same bytes',
    async (name, { dir }) => {
      const decode = [recordingPath(name), '--symfs', RECORDED_ROOT];
      const bytes = await readFile(await importedIn(dir, decode, '-j', '1'));
      const path = await importedIn(dir, decode, '-j', '3');
      expect(await readFile(path)).toEqual(bytes);
      for (const flags of [
        ['--annotate', '--by', 'thread'],
        ['--format', 'json'],
      ])
        expect(await ptflame(['render', path, ...flags])).toEqual(await ptflame(['render', ...decode, ...flags]));
    },
  );

  test('that is truncated can be salvaged on import, and the file says so', async ({ dir }) => {
    const cut = await dir.write('cut.data', (await readFile(recordingPath('loop'))).subarray(0, 12_000));
    const flags = ['--symfs', RECORDED_ROOT];
    const refused = await ptflame(['import', cut, '-o', dir.file('a.ptf'), ...flags]);
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/is damaged: .*\n.*--salvage/) });
    const path = await importedIn(dir, [cut], '--salvage', ...flags);
    const { stderr } = await ptflame(['render', path]);
    expect(stderr).toMatch(/warning: .*cut\.data ends early \(salvaged [\d.]+ kB of/);
    expect(await ptflame(['render', path])).toEqual(await ptflame(['render', cut, '--salvage', ...flags]));
  });
});

describe.concurrent('ptflame refuses', () => {
  test('an imported trace together with another input', async ({ dir }) => {
    const path = await importedIn(dir, [SIX_LINES]);
    for (const inputs of [
      [path, SIX_LINES],
      [SIX_LINES, path],
      [path, path],
    ])
      for (const args of [
        ['render', ...inputs],
        ['import', ...inputs, '-o', dir.file('b.ptf')],
      ])
        expectRefusal(
          await ptflame(args),
          1,
          /trace\.ptf is an imported trace, which must be the only input/,
          /ptflame import/,
        );
  });

  test('an imported trace from a pipe, or compressed', async ({ dir }) => {
    const bytes = await readFile(await importedIn(dir, [SIX_LINES]));
    expectRefusal(
      await ptflame(['render', '-'], { input: bytes }),
      1,
      /standard input is an imported trace/,
      /pass the uncompressed file: ptflame render trace\.ptf/,
    );
    const zipped = await dir.write('trace.gz', gzipSync(bytes));
    expectRefusal(
      await ptflame(['render', zipped]),
      1,
      /trace\.gz is an imported trace/,
      /gunzip -k \S+trace\.gz; then ptflame/,
    );
  });

  test('a profile, which does not contain a trace', async ({ dir }) => {
    await ptflame(['render', SIX_LINES, '-o', dir.file('p.json'), '--quiet']);
    const run = await ptflame(['import', dir.file('p.json'), '-o', dir.file('a.ptf')]);
    expectRefusal(run, 1, /p\.json is a profile, which does not contain the trace/, /import the trace itself/);
    expect(await dir.names()).toEqual(['p.json']);
  });

  test('a missing or unwritable output', async ({ dir }) => {
    expectRefusal(await ptflame(['import', SIX_LINES]), 2, /output/);
    const run = await ptflame(['import', SIX_LINES, '-o', dir.file('nowhere/a.ptf')]);
    expectRefusal(run, 1, /cannot write .*a\.ptf: its directory does not exist/);
  });

  test('a trace without branches or without a selected thread', async ({ dir }) => {
    const none = fixturePath('hardware/sampling-callchain.txt');
    expectRefusal(await ptflame(['import', none, '-o', dir.file('a.ptf')]), 1, /no Intel PT branches/);
    const run = await ptflame(['import', SIX_LINES, '-o', dir.file('a.ptf'), '--tid', '5']);
    expectRefusal(run, 1, /no thread of the trace is selected/);
    expect(await dir.names()).toEqual([]);
  });

  test('a truncated file without --salvage', async ({ dir }) => {
    const path = await importedIn(dir, [fixturePath('demo/threads.perf.txt.gz')]);
    const bytes = await readFile(path);
    await writeFile(path, bytes.subarray(0, bytes.length - 1000));
    for (const args of [['render'], ['import', '-o', dir.file('b.ptf')], ['info']])
      expectRefusal(await ptflame([...args, path]), 1, /trace\.ptf is truncated/, /import it again.*--salvage/);
    const { exitCode, stderr } = await ptflame(['render', path, '--salvage', '-o', dir.file('out.folded')]);
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/warning: .*trace\.ptf ends early \(salvaged [\d,]+ of [\d,]+ events\)/);
    const saved = dir.file('saved.ptf');
    expect((await ptflame(['import', path, '--salvage', '-o', saved])).exitCode).toBe(0);
    const again = await ptflame(['render', saved]);
    const warnings = stderr.replace(/^(?:wrote|next:) .*\n/gm, '');
    expect(again).toEqual({ exitCode: 0, stdout: await dir.read('out.folded'), stderr: warnings });
  });
});

describe.concurrent('info', () => {
  test('describes an imported trace', async () => {
    const path = migrating;
    const { stdout } = await ptflame(['info', path]);
    expect(stdout).toMatch(/^file {6}.*trace\.ptf, an imported trace, [\d.]+ k?B$/m);
    expect(stdout).toMatch(/^threads {3}\d+$/m);
    const { threads, ...rest } = JSON.parse((await ptflame(['info', path, '--json'])).stdout);
    expect(rest).toMatchObject({ kind: 'imported trace', file: path, damagedLines: 0 });
    const sum = threads.reduce((sum: number, { events }: { events: number }) => sum + events, 0);
    expect(sum).toBe(rest.events);
  });
});
