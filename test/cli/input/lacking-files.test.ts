/**
 * Files that recordings lack are listed by the time that was lost with them.
 */
import { expect, test } from 'vitest';
import { lackingAtFirst, lackingByLoss } from '../../../cli/input/lacking-files.js';
import type { NeededFile } from '../../../src/perfdata/pack/needed-files.js';

const file = (path: string, state: NeededFile['state']): NeededFile => ({ path, state, buildId: null });
const loss = (path: string | null, lostNs: number, code = 5) =>
  ({ cause: 'decode-error', code, message: '', file: path, gaps: 1, lostNs }) as const;
const many = Array.from({ length: 12 }, (_, row) => file(`/lib/${String.fromCharCode(97 + row)}`, 'missing'));
const namesIn = (lines: string[]) => lines.map((line) => /(?<=^warning: )\S+/.exec(line)?.[0]);

test('the largest loss first, without those that cost nothing', () => {
  const inputs = [{ lacking: { files: many, symfs: null } }, {}];
  const losses = [loss('/lib/c', 10), loss('/lib/l', 7, 6), loss('/lib/l', 4), loss(null, 99)];
  expect(lackingByLoss(inputs, losses)).toEqual([
    'warning: /lib/l is missing: its code cannot be decoded, 11 ns lost',
    'warning: /lib/c is missing: its code cannot be decoded, 10 ns lost',
  ]);
});

test('another build also if nothing is lost in it, after the losses', () => {
  const files = [file('/bin/a', 'changed'), file('/bin/b', 'missing'), file('/bin/c', 'unreadable')];
  const lines = lackingByLoss([{ lacking: { files, symfs: '/root' } }], [loss('/bin/c', 5)]);
  expect(lines).toEqual([
    'warning: /bin/c below /root is not readable: its code cannot be decoded, 5 ns lost',
    'warning: /bin/a below /root is not the build that was recorded: what is decoded of its code may be wrong',
  ]);
});

test('all of them by name if losses are not known, ten at most', () => {
  const lines = lackingByLoss([{ lacking: { files: many, symfs: null } }], null);
  expect(namesIn(lines.slice(0, 10))).toEqual(many.slice(0, 10).map(({ path }) => path));
  expect(lines.slice(10)).toEqual(['warning: the same of 2 more files']);
});

test('before decoding, one file is named, and more are counted', () => {
  const [changed, missing] = [file('/bin/a', 'changed'), file('/bin/b', 'missing')];
  expect(lackingAtFirst({ files: [], symfs: null })).toEqual([]);
  const only = { files: [missing], symfs: null };
  expect(lackingAtFirst(only)).toEqual(['warning: /bin/b is missing: its code cannot be decoded']);
  expect(lackingByLoss([{ lacking: only }], [loss('/bin/b', 5)])).toEqual([]);
  expect(lackingAtFirst({ files: [changed, missing], symfs: '/r' })).toEqual([
    'warning: 2 files below /r are missing, or are not the build that was recorded: listed after decoding',
  ]);
});
