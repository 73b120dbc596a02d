/**
 * What does not fit into `--memory` is refused with a message before the process holds much more.
 */
import { execa } from 'execa';
import { expect } from 'vitest';
import { renderFolded, renderJson, renderSvg } from '../../../src/index.js';
import { float64Column } from '../../../src/model/columns.js';
import { askForMemory, checkMemory, watchMemory } from '../../../src/model/memory.js';
import { renderHtml } from '../../../src/page/html.js';
import { type Machine, MemoryBudget } from '../../../src/pipeline/workers/memory-budget.js';
import { parseProfile } from '../../../src/profile-file/read.js';
import { PROGRAM, ptflame, SIX_LINES, test } from '../../helpers/cli/run-cli.js';
import { analyzeText } from '../../helpers/traces/load.js';

const MIB = 1024 * 1024;

/** A process that holds this much memory, of which a collection frees some. */
function machine({ held = 50 * MIB, garbage = 0, heapBytes = 0 }) {
  const state = { held, garbage, collections: 0 };
  const fake: Machine = {
    residentBytes: () => state.held,
    heap: () => ({ usedBytes: heapBytes, maxBytes: 100 * MIB }),
    collect: () => {
      state.held -= state.garbage;
      state.garbage = 0;
      state.collections++;
    },
  };
  return { state, fake };
}

const REFUSED = { code: 'TOO_LARGE', message: expect.stringContaining('--memory 256M allows') };
const budgetOf = (fake: Machine) => new MemoryBudget(256 * MIB, fake);

test('accepts what fits, without collecting garbage', () => {
  const { state, fake } = machine({});
  const budget = budgetOf(fake);
  budget.check(200 * MIB);
  expect(state.collections).toBe(0);
});

test('refuses what does not fit, before or after it is allocated', () => {
  const { state, fake } = machine({});
  const budget = budgetOf(fake);
  expect(() => budget.check(210 * MIB)).toThrow(expect.objectContaining(REFUSED));
  state.held = 300 * MIB;
  expect(() => budget.check(0)).toThrow(expect.objectContaining(REFUSED));
});

test('collects garbage first, and again only after memory has grown', () => {
  const { state, fake } = machine({});
  const budget = budgetOf(fake);
  Object.assign(state, { held: 400 * MIB, garbage: 160 * MIB });
  budget.check(0);
  expect(state).toMatchObject({ held: 240 * MIB, collections: 1 });
});

test('does not count what the process held before', () => {
  const { state, fake } = machine({ held: 1000 * MIB });
  const budget = budgetOf(fake);
  state.held += 150 * MIB;
  budget.check(0);
  state.held += 50 * MIB;
  expect(() => budget.check(0)).toThrow(expect.objectContaining(REFUSED));
});

test('refuses when the heap is close to the limit of V8', () => {
  const { fake } = machine({ heapBytes: 90 * MIB });
  const remedy = { code: 'TOO_LARGE', hint: expect.stringContaining('--max-old-space-size') };
  expect(() => budgetOf(fake).check(0)).toThrow(expect.objectContaining(remedy));
});

test('counts what was asked for where memory cannot be measured, until another task begins', () => {
  const { fake } = machine({});
  const budget = new MemoryBudget(256 * MIB, { ...fake, residentBytes: () => null });
  budget.check(100 * MIB);
  budget.check(50 * MIB); // and 96 for the program
  expect(() => budget.check(20 * MIB)).toThrow(expect.objectContaining(REFUSED));
  budget.check(10 * MIB);
  budget.restart();
  budget.check(150 * MIB);
});

test('checks memory before large tables grow, but not for small ones', () => {
  const asked: number[] = [];
  const unwatch = watchMemory((bytes) => asked.push(bytes));
  const column = float64Column();
  for (let row = 0; row < 100_000; row++) column.push(row);
  unwatch();
  askForMemory(MIB);
  checkMemory();
  expect(asked).toEqual([15, 16, 17].map((power) => 2 ** power * 8).filter((bytes) => bytes >= 256 * 1024));
});

test('a command refuses a trace with too many functions, and says what to do', async ({ dir }) => {
  const lines = Array.from({ length: 60_000 }, (_, n) => {
    const address = (0x1000000 + 64 * n).toString(16);
    return `7 [000] 1.${String(10 * n).padStart(9, '0')}: call 401000 main+0x0 => ${address} function_of_a_long_name_${n}+0x0\n`;
  });
  const trace = await dir.write('many.txt', lines.join(''));
  for (const command of [
    ['render', trace],
    ['import', trace, '-o', dir.file('x.ptf')],
    ['report', trace],
  ]) {
    const { exitCode, stderr } = await ptflame([...command, '--memory', '160M', '-j', '1', '--quiet']);
    expect(stderr).toMatch(
      /^ptflame: the functions, branches and call trees .* --memory 160M allows\n {2}allow more with --memory/,
    );
    expect(exitCode).toBe(1);
  }
});

test('checks memory while drawing a large profile', async () => {
  const lines = Array.from({ length: 10_000 }, (_, n) => {
    const address = (0x1000000 + 64 * n).toString(16);
    return `7 [000] 1.${String(10 * n).padStart(9, '0')}: call 401000 main+0x0 => ${address} f${n}+0x0\n`;
  });
  const profile = await analyzeText(lines.join(''));
  const file = Buffer.from([...renderJson(profile)].join(''));
  const unwatch = watchMemory(() => {
    throw new Error('none is left');
  });
  try {
    for (const draw of [renderJson, renderFolded, renderSvg, renderHtml])
      expect(() => [...draw(profile)], draw.name).toThrow('none is left');
    expect(() => parseProfile(file, 'p.json')).toThrow('none is left');
  } finally {
    unwatch();
  }
});

test('reads more inputs than the process may have open files', async ({ dir }) => {
  const inputs = Array<string>(200).fill(SIX_LINES);
  for (const [name, ...command] of [
    ['x.folded', 'render', ...inputs],
    ['x.ptf', 'import', ...inputs],
  ] as const) {
    const run = [
      '-c',
      'ulimit -n 60; exec "$0" "$@"',
      process.execPath,
      PROGRAM,
      ...command,
      '-q',
      '-o',
      dir.file(name),
    ];
    expect(await execa('bash', run, { reject: false })).toMatchObject({ exitCode: 0, stderr: '' });
    expect((await dir.read(name)).length).toBeGreaterThan(0);
  }
});

test.each([
  ['ulimit -n 19', [SIX_LINES], /too many open files/i, /ulimit -n/],
  ['ulimit -v 2000000', [SIX_LINES], /address space/, /ulimit -v unlimited/],
])('%s fails with a message, without a stack trace', async (limit, inputs, what, remedy) => {
  const command = `${limit}; exec "$0" "$@"`;
  const run = await execa('bash', ['-c', command, process.execPath, PROGRAM, 'render', ...inputs], { reject: false });
  expect(run.exitCode).toBe(1);
  const [said = '', toDo = '', ...more] = run.stderr.split('\n');
  expect(said).toMatch(/^ptflame: /);
  expect(said).toMatch(what);
  expect(toDo).toMatch(remedy);
  expect(more).toEqual([]);
});
