/**
 * Tests names for display: of a recording, and of functions in any script.
 */
import { describe, expect, test } from 'vitest';
import { recordingFileName, recordingTitle } from '../../../src/render/frames/captions.js';
import { fitLabel } from '../../../src/render/frames/labels.js';
import { xml } from '../../../src/render/svg/xml.js';
import { isolated } from '../../../src/render/visible-text.js';

const nothing = { host: null, kernel: null, cpu: null, perf: null, command: null, startedAt: null };
const perf = (...program: string[]) => ['perf', 'record', '-e', 'intel_pt//u', '--', ...program];
const thread = (tid: number, comm: string | null, pid: number | null = null) => ({ tid, pid, comm });

describe('a recording', () => {
  test.for([
    [
      { ...nothing, host: 'db1', command: perf('/usr/sbin/mysqld', '--x'), startedAt: '2026-11-21T14:03:05.123Z' },
      'mysqld on db1, 2026-11-21 14:03 UTC',
      'mysqld-db1-2026-11-21T14-03-05',
    ],
    [{ ...nothing, host: 'db1', command: ['perf', 'record', '-p', '7'] }, 'worker on db1', 'worker-db1'],
    [null, 'worker', 'worker'],
    [{ ...nothing, command: perf('../../../etc/pass wd;rm -rf "$(x)"') }, 'pass wd;rm -rf "$(x)"', 'pass-wd-rm-rf-x'],
    [{ ...nothing, command: perf('CON') }, 'CON', 'flame-CON'],
    [{ ...nothing, command: perf('..'), host: '\u202e' }, '.. on \\u202e', '202e'],
    [{ ...nothing, command: perf('x'.repeat(500)) }, `${'x'.repeat(39)}…`, 'x'.repeat(40)],
  ] as const)('is named after command, host and time: %o', ([recorded, title, file]) => {
    const named = { meta: { recorded }, threads: [thread(8, 'other', 7), thread(7, 'worker', 7)] };
    expect(recordingTitle(named)).toBe(title);
    if (file !== '202e') expect(recordingFileName(named)).toBe(file);
    expect(recordingFileName(named)).toMatch(/^[\p{L}\p{N}_][\p{L}\p{N}._-]{0,130}$/u);
  });

  test('has a file name but no title if nothing is known', () => {
    const named = { meta: { recorded: null }, threads: [thread(7, null)] };
    expect([recordingTitle(named), recordingFileName(named)]).toEqual([null, 'flame']);
  });
});

describe('a right-to-left name', () => {
  const name = 'حساب::مجموع';

  test('is isolated from the numbers next to it, also when truncated', () => {
    const label = { name, numbers: ['5', '12 ns'] };
    expect(fitLabel(label, 40)).toBe(`\u2068${name}\u2069 · 5 · 12 ns`);
    expect(fitLabel(label, 6)).toBe('\u2068…مجموع\u2069');
    expect(fitLabel({ name: 'main', numbers: ['5'] }, 40)).toBe('main · 5');
  });

  test('keeps its isolates in markup, where other bidi controls are escaped', () => {
    expect(xml(`in ${isolated(name)}`)).toBe(`in \u2068${name}\u2069`);
    for (const text of ['\u2068main', 'main\u2069', '\u2068a\u202eb\u2069', '\u2068\u2068a\u2069'])
      expect(xml(text)).not.toMatch(/[\u2066-\u2069\u202a-\u202e]/);
  });
});
