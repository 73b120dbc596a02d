import { expect, test } from 'vitest';
import { filesBehindNames } from '../../src/model/names/distinct-names.js';

test('only functions whose name another file has, too, show their file: its name alone, if that is clear', () => {
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
