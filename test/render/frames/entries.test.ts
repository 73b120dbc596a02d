/**
 * Entries of the kernel are frames of their own kind.
 */
import { expect, test } from 'vitest';
import { SymbolTableBuilder } from '../../../src/model/symbol-table.js';
import { classOf, familyOf } from '../../../src/render/frames/colours.js';

test('have a family and a colour, whichever library is shown', () => {
  const builder = new SymbolTableBuilder();
  const [entry, handler, own] = [
    builder.intern('asm_exc_page_fault', '[kernel.kallsyms]'),
    builder.intern('exc_page_fault', '[kernel.kallsyms]'),
    builder.intern('asm_exc_page_fault', '/usr/bin/program'),
  ];
  const symbols = builder.build();
  expect([entry, handler, own].map((symbol) => familyOf(symbol, symbols))).toEqual(['entry', 'kernel', 'user']);
  expect(classOf('entry', 'asm_exc_page_fault', 0)).toBe('entry');
});
