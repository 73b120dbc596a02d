import { expect, test } from 'vitest';
import { filesBehindNames } from '../../src/model/symbol-table.js';

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
