/**
 * The result is the same for any number of workers, any amount of memory, and for files and streams.
 *
 * The built library is tested, as its workers load built files. The traces are just large enough for workers to
 * start.
 */
import { createReadStream, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { generate } from '../../../bench/generator/generate.js';
import { KINDS } from '../../../bench/generator/kinds.js';
import { Random } from '../../../bench/generator/random.js';
import { openPath } from '../../../src/host/files.js';
import type * as library from '../../../src/index.js';
import { expectRefusal, PROGRAM, ptflame } from '../../helpers/cli/run-cli.js';
import { type Damage, damaged, ERRORS, RECORDS } from '../../helpers/traces/damage.js';

const { analyze, openTraceFile, readProfile, renderFolded, renderJson, traceStream } = (await import(
  new URL('../../../dist/src/index.js', import.meta.url).href
)) as typeof library;

const LITTLE_MEMORY = 160 * 1024 * 1024;
const MUCH_MEMORY = 4 * 1024 * 1024 * 1024;
const directory = mkdtempSync(join(tmpdir(), 'ptflame-resources-'));
const CLEAN = join(directory, 'clean.txt');
const DAMAGED = join(directory, 'damaged.txt');
/** The expected folded stacks of the clean trace. */
let truth = '';

beforeAll(() => {
  const pieces: Buffer[] = [];
  const recipe = { ...KINDS.ordinary, sizeBytes: 60e6 };
  const { fold } = generate(recipe, (bytes) => pieces.push(Buffer.from(bytes)));
  writeFileSync(CLEAN, Buffer.concat(pieces));
  fold((line) => {
    truth += line;
  });
  const lines = readFileSync(CLEAN, 'latin1').trimEnd().split('\n');
  writeFileSync(DAMAGED, damaged(lines, damages(new Random(7))), 'latin1');
});
afterAll(() => rmSync(directory, { recursive: true }));

/** Some damage of every kind: most pieces of the trace are standalone, but many are not. */
function damages(random: Random): Damage[] {
  const at = () => random.bits();
  const forms = [...ERRORS, ...RECORDS, 'x'.repeat(300_000), '7 call 1 a => 2 b', ' => ', ''];
  const inserts = forms.flatMap((form) => [1, 2, 3].map((): Damage => ({ what: 'insert', at: at(), form })));
  const bytes = Array.from({ length: 60 }, (): Damage => {
    return { what: random.pick(['set byte', 'insert byte', 'delete byte']), at: at(), byte: at(), to: at() % 256 };
  });
  const lines: Damage[] = [
    { what: 'drop', at: at(), lines: 3000 },
    { what: 'double', at: at(), lines: 500 },
    { what: 'swap', at: at(), other: at() },
    { what: 'cut', at: 350_000, byte: 100 },
  ];
  return [...inserts, ...bytes, ...lines];
}

async function profileText(input: library.TraceInput, options: library.AnalyzeOptions): Promise<string> {
  return [...renderJson(await analyze([input], options))].join('');
}

describe('the result is the same', () => {
  const known = new Map<string, Promise<string>>();
  async function byOneThread(path: string): Promise<string> {
    const text = known.get(path) ?? profileText(await openTraceFile(path), { jobs: 1, memoryBytes: MUCH_MEMORY });
    known.set(path, Promise.resolve(text));
    return text;
  }

  test.each<[string, string, Pick<library.AnalyzeOptions, 'jobs' | 'memoryBytes'>]>([
    ['for a clean trace', CLEAN, { jobs: 5, memoryBytes: MUCH_MEMORY }],
    ['for a damaged trace', DAMAGED, { jobs: 2, memoryBytes: MUCH_MEMORY }],
    ['with events on disk', DAMAGED, { jobs: 1, memoryBytes: LITTLE_MEMORY }],
    ['with events on disk', DAMAGED, { jobs: 2, memoryBytes: 300 * 1024 * 1024 }],
  ])('%s: %s with %j', async (_, path, options) => {
    const expected = await byOneThread(path);
    expect((await profileText(await openTraceFile(path), options)) === expected).toBe(true);
  });

  test('for a stream', async () => {
    const stream = traceStream(DAMAGED, createReadStream(DAMAGED, { highWaterMark: 300_001 }));
    const text = await profileText(stream, { jobs: 3, memoryBytes: MUCH_MEMORY });
    expect(text === (await byOneThread(DAMAGED))).toBe(true);
  });

  test('for a profile file, however large', async () => {
    const text = await profileText(await openTraceFile(CLEAN), { jobs: 2 });
    const path = join(directory, 'profile.json');
    writeFileSync(path, text);
    const again = await readProfile(await openTraceFile(path));
    expect([...renderJson(again)].join('') === text).toBe(true);
  });

  test('with one tree for all threads', async () => {
    const profile = await analyze([await openTraceFile(CLEAN)], { jobs: 2, trees: 'together' });
    expect([...renderFolded(profile)].join('') === truth).toBe(true);
  });
});

describe('a file that changes while it is read', () => {
  /** The file differs from what it was when it was opened. */
  async function changed(path: string, file: object): Promise<library.TraceInput> {
    const input = await openTraceFile(path);
    Object.assign(input.file as object, file);
    return input;
  }
  const options = { jobs: 2, memoryBytes: MUCH_MEMORY };

  test('is read to its new end if it was truncated', async () => {
    const expected = await profileText(await openTraceFile(DAMAGED), options);
    const input = await changed(DAMAGED, { sizeBytes: 1e9 }); // it ends within a line
    expect((await profileText(input, options)) === expected).toBe(true);
  });

  test('does not crash the program if it was rewritten', async () => {
    const path = join(directory, 'other.txt');
    writeFileSync(path, Buffer.concat([Buffer.from(' '), readFileSync(CLEAN)]));
    const other = openPath(path);
    const expected = await profileText(await openTraceFile(CLEAN), options);
    const input = await openTraceFile(CLEAN);
    const { ref } = other;
    const { sizeBytes } = input.file as { sizeBytes: number };
    const skipTo = (at: number) => input.file?.skipTo(at);
    const text = await profileText(
      { ...input, file: { ref, sizeBytes, skipTo, read: (into, at) => other.read(into, at) } },
      options,
    );
    expect(text === expected).toBe(true);
    other.close();
  });
});

describe('the temporary file', () => {
  const render = (...flags: string[]) => ['render', CLEAN, '--quiet', '-o', '/dev/null', '--memory', '160M', ...flags];

  test('is removed', async () => {
    const place = join(directory, 'temporary');
    mkdirSync(place);
    expect(await ptflame(render('--temp-dir', place))).toMatchObject({ exitCode: 0, stderr: '' });
    expect(readdirSync(place)).toEqual([]);
  });

  test('is refused with its directory if that does not exist', async () => {
    const run = await ptflame(render('--temp-dir', join(directory, 'nowhere')));
    expectRefusal(run, 1, /cannot write temporary data to .*nowhere: there is no such/, /--temp-dir/);
  });

  test('is refused if there is no space for it', async () => {
    const limited = ['-c', 'ulimit -f 1000; exec "$@"', 'limited', process.execPath, PROGRAM, ...render()];
    const { exitCode, stderr } = await execa('bash', limited, { reject: false });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/no space left\n.*--temp-dir DIR; or allow more memory/);
  });
});

describe('options', () => {
  test.each([
    ['--jobs', '0', /jobs must be 1 or more/],
    ['-j', 'many', /jobs must be a number/],
    ['--memory', '100M', /memory must be a size of at least 160M, such as 512M or 8G/],
    ['--memory', 'all', /memory must be a size/],
    ['--temp-dir', '', /temp-dir must not be empty/],
  ])('%s %s is refused', async (flag, value, message) => {
    const run = await ptflame(['render', CLEAN, flag, value]);
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toMatch(message);
  });

  test.each(['160M', '1.5g', '268435456', '8GiB', '512MB'])('--memory %s is accepted', async (size) => {
    const run = await ptflame(['render', '-', '--memory', size], { input: '' });
    expect(run.stderr).toMatch(/no Intel PT branches/);
  });
});
