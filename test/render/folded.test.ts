/**
 * Tests folded stacks: order, names and groups.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderFolded } from '../../src/index.js';
import { CallTreeBuilder } from '../../src/model/calls/call-tree.js';
import { SymbolTableBuilder } from '../../src/model/symbol-table.js';
import { renderFoldedBytes } from '../../src/render/folded.js';
import { dedent } from '../helpers/checks/outline.js';
import { randomProfiles } from '../helpers/random/random-profiles.js';
import { analyzeText, fixture, fold } from '../helpers/traces/load.js';
import { traceOf } from '../helpers/traces/trace-of.js';

test('writes the example of the design, six lines of perf script, as four lines', async () => {
  const profile = await analyzeText(fixture('hardware/mysql-cr-target-fields.txt'));
  expect(fold(profile).trimEnd()).toBe(
    dedent(`
    mem_heap_block_free 75
    mem_heap_block_free;mem_block_validate 0
    mem_heap_block_free;pfs_memory_free_v1 0
    mem_heap_block_free;pfs_memory_free_v1;find_memory_class 19`),
  );
});

test('annotates calls, inferred calls and the average, rounded half up', async () => {
  const trace = traceOf(`
    10  call    main  a
    11  return  a     main
    20  call    main  a
    22  return  a     main
    30  call    main  a`);
  expect(fold(await analyzeText(trace), { annotate: true })).toBe('main:1(1) 17\nmain:1(1);a:3(1),avg:2 3\n');
});

test('escapes names that would break a line or a path', async () => {
  const text = [
    '1 [000] 1.000000001:   call   1000 main+0x0 => 2000 a;b+0x0\n',
    '1 [000] 1.000000002:   call   2010 a;b+0x10 => 3000 x\x1b[31m\ty+0x0\n',
  ].join('');
  expect(fold(await analyzeText(text))).toBe('main 0\nmain;a:b 1\nmain;a:b;x [31m y 0\n');
});

test('orders siblings by UTF-8 bytes, independent of input order', async () => {
  const names = ['b', 'a', '\u{10400}', '\uff5e', 'Z', 'ä'];
  const lines = names.flatMap((name, index) => {
    const start = (0x2000 + 16 * index).toString(16);
    const at = 16 * index;
    return [
      `1 [000] 1.00000001${index}:   call   ${(0x1000 + at).toString(16)} main+0x${at.toString(16)} => ${start} ${name}+0x0\n`,
      `1 [000] 1.00000001${index}:   return   ${start} ${name}+0x0 => ${(0x1005 + at).toString(16)} main+0x${(at + 5).toString(16)}\n`,
    ];
  });
  const folded = fold(await analyzeText(lines.join('')));
  expect(folded.split('\n').slice(1, -1)).toEqual(
    ['Z', 'a', 'b', 'ä', '\uff5e', '\u{10400}'].map((name) => `main;${name} 0`),
  );
});

const twoThreads = traceOf(`
  1/10  call    main  a
  2/10  call    main  b
  1/30  return  a     main
  2/40  return  b     main`);

test('merges threads unless they are requested', async () => {
  const profile = await analyzeText(twoThreads);
  expect(fold(profile)).toBe('main 0\nmain;a 20\nmain;b 30\n');
  expect(fold(profile, { by: 'thread' })).toBe(
    'thread 1;main 0\nthread 1;main;a 20\nthread 2;main 0\nthread 2;main;b 30\n',
  );
  expect(fold(profile, { by: 'process', minNs: 1 })).toBe('process unknown;main;a 20\nprocess unknown;main;b 30\n');
  expect(fold(profile, { by: 'comm', minNs: 25 })).toBe('unknown;main;b 30\n');
});

test('names threads after records and columns', async () => {
  const named =
    traceOf(`
    1/1   PERF_RECORD_COMM exec: server:1/1
    1/2   PERF_RECORD_FORK(1:2):(1:1)
    2/3   PERF_RECORD_COMM: worker 7:1/2
    1/4   PERF_RECORD_FORK(1:3):(1:1)
    3/11  call    main  c
    3/12  return  c     main
  `) + twoThreads;
  const profile = await analyzeText(named);
  const roots = (by: 'thread' | 'process' | 'comm') => [
    ...new Set(
      fold(profile, { by })
        .split('\n')
        .map((line) => line.split(';')[0]),
    ),
  ];
  expect(roots('thread').filter(Boolean)).toEqual(['server-1', 'server-3', 'worker 7-2']);
  expect(roots('process').filter(Boolean)).toEqual(['server-1']);
  expect(roots('comm').filter(Boolean)).toEqual(['server', 'worker 7']);
});

test('shows an average for stops only if all are complete', async () => {
  const text = (ns: number) =>
    [
      `1 [000] 1.${String(ns).padStart(9, '0')}:   call   1010 main+0x10 => 2000 read+0x0\n`,
      `1 [000] 1.${String(ns + 10).padStart(9, '0')}:   tr end  syscall   2010 read+0x10 => 0 [unknown]\n`,
      `1 [000] 1.${String(ns + 30).padStart(9, '0')}:   tr strt   0 [unknown] => 2012 read+0x12\n`,
    ].join('');
  const back = '1 [000] 1.000000200:   return   2014 read+0x14 => 1015 main+0x15\n';
  const cut = text(100) + back + text(300).split('\n').slice(0, 2).join('\n');
  expect(fold(await analyzeText(text(100) + back), { annotate: true })).toContain('[syscall]:1,avg:20 20\n');
  expect(fold(await analyzeText(`${cut}\n`), { annotate: true })).toContain('[syscall]:2(1) 20\n');
});

test('writes the same lines as bytes, in chunks of whole lines', () => {
  fc.assert(
    fc.property(
      randomProfiles,
      fc.boolean(),
      fc.constantFrom('none' as const, 'thread' as const),
      fc.constantFrom(0, 5),
      (profile, annotate, by, minNs) => {
        const options = { annotate, by, minNs };
        expect(textOf(renderFoldedBytes(profile, options))).toBe(fold(profile, options));
      },
    ),
    { numRuns: 200 },
  );
});

test('writes lines longer than a chunk, and many chunks', () => {
  const builder = new CallTreeBuilder();
  for (let node = 0, depth = 0; depth < 1500; depth++) {
    node = builder.child(node, 6 + (depth % 3));
    builder.charge(node, 10 ** (depth % 16) - (depth % 2));
  }
  const names = ['x'.repeat(700_000), 'ä'.repeat(600_000), 'f'];
  const table = new SymbolTableBuilder();
  for (const name of names) table.intern(name, null);
  const symbols = table.build();
  const shallow = new CallTreeBuilder();
  shallow.charge(shallow.child(shallow.child(0, 6), 7), 1.5);
  for (const [tree, used] of [
    [builder.build(), ['long', 'name', 'f']],
    [shallow.build(), names],
  ] as const) {
    const named = { ...symbols, name: [...symbols.name.slice(0, 6), ...used] };
    const profile = { meta: { weight: 'ns' as const }, symbols: named, threads: [], together: tree };
    const chunks = [...renderFoldedBytes(profile)];
    expect(textOf(chunks)).toBe([...renderFolded(profile)].join(''));
    expect(chunks.every((chunk) => chunk.at(-1) === 10)).toBe(true);
  }
});

function textOf(chunks: Iterable<Uint8Array>): string {
  return Buffer.concat([...chunks]).toString();
}
