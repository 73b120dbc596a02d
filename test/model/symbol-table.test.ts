import { expect, test } from 'vitest';
import { filesBehindNames, shortFileName } from '../../src/model/symbol-table.js';

test('adds the file to names that occur in several files: its base name if that is unique, otherwise its path', () => {
  const rows = [
    ['main', '/usr/bin/ls'],
    ['init', '/usr/lib/liba.so'],
    ['init', '/usr/lib/libb.so'],
    ['init', null],
    ['fini', '/usr/lib/libc.so'],
    ['fini', '/opt/libc.so'],
  ] as const;
  expect(filesBehindNames(rows.map(([name, dso]) => ({ name, dso })))).toEqual([
    '',
    ' (liba.so)',
    ' (libb.so)',
    '',
    ' (/usr/lib/libc.so)',
    ' (/opt/libc.so)',
  ]);
});

test.each([
  ['/usr/lib/liblzma.so.5.4.1 (deleted)', 'liblzma.so.5.4.1'],
  ['[vdso]', 'vdso'],
  ['[heap]', 'heap'],
  ['[unknown]', 'unknown'],
  ['[kernel.kallsyms]', 'kernel'],
  ['[kernel.kallsyms]_text', 'kernel'],
  ['[guest.kernel.kallsyms]', 'guest.kernel'],
  ['[virtio_net]', '[virtio_net]'],
])('%s is called %s', (file, name) => {
  expect(shortFileName(file)).toBe(name);
});
