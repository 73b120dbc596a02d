import { expect, test } from 'vitest';
import { functionsOf } from '../../../src/analysis/tree/functions.js';
import { CallTreeBuilder, ROOT } from '../../../src/model/calls/call-tree.js';
import { SymbolTableBuilder } from '../../../src/model/symbol-table.js';

test('the names of a table are looked at once, however many threads have trees', () => {
  let reads = 0;
  const builder = new SymbolTableBuilder();
  const [work, entry] = [
    builder.intern('work', '/bin/program'),
    builder.intern('entry_SYSCALL_64', '[kernel.kallsyms]'),
  ];
  const { name, ...rest } = builder.build();
  const counted = new Proxy(name, {
    get(target, key) {
      reads++;
      return Reflect.get(target, key);
    },
  });
  const symbols = { ...rest, name: counted };
  const tree = new CallTreeBuilder();
  const caller = tree.child(ROOT, work);
  tree.charge(caller, 20);
  tree.charge(tree.child(caller, entry), 30);
  const sums = () => functionsOf(tree.build(), null, true, symbols).map(({ symbol, kernelNs }) => [symbol, kernelNs]);
  expect(sums()).toEqual([
    [work, 30],
    [entry, 30],
  ]);
  const first = reads;
  for (let thread = 0; thread < 100; thread++) sums();
  expect(reads).toBe(first);
});
