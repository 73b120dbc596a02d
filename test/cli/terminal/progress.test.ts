/**
 * The text of the progress line, and when it is drawn.
 */
import { execa } from 'execa';
import stringWidth from 'string-width';
import { describe, expect, vi } from 'vitest';
import { clock, progressLine, type Stage } from '../../../cli/terminal/progress-line.js';
import { recordingText } from '../../../cli/terminal/recording-line.js';
import { PROGRAM, SIX_LINES, test } from '../../helpers/cli/run-cli.js';
import { hasTerminal, startOnTerminal } from '../../helpers/cli/terminal.js';
import { machineTree } from '../../helpers/perf/machine-tree.js';
import { FAKE_PERF } from '../../helpers/perf/record-runs.js';

const READING: Stage = { name: 'reading', done: 1.2e9, total: 2.9e9, unit: 'bytes', lines: 7e6, elapsedMs: 4000 };

describe('the progress line', () => {
  test('shows the share of the work, if it is told', () => {
    const stage = {
      name: 'replaying',
      done: 0,
      total: 1,
      share: 0.25,
      unit: 'threads',
      lines: 0,
      elapsedMs: 2000,
    } as const;
    expect(progressLine(stage, 60)).toMatch(/^replaying {2}█+░+ {3}25 % {2}0 of 1 thread {2}6 s left$/);
  });

  test('shows how much is done and how long the rest will take', () => {
    expect(progressLine(READING, 200)).toBe(
      `reading  ${'█'.repeat(16)}${'░'.repeat(24)}   41 %  1.2 GB of 2.9 GB  300.0 MB/s  1,750,000 lines/s  6 s left`,
    );
    expect(progressLine(READING, 79)).toMatch(
      /^reading {2}█+░+ {3}41 % {2}1\.2 GB of 2\.9 GB {2}300\.0 MB\/s {2}6 s left$/,
    );
    expect(progressLine(READING, 40)).toMatch(/^reading {2}█+░+ {3}41 % {2}6 s left$/);
  });

  test('fits any width and drops the remaining time last', () => {
    const stages = [
      READING,
      { ...READING, done: 0 },
      { ...READING, done: 9e15, total: 9e15, lines: 9e12, elapsedMs: 9e8 },
      { ...READING, total: null, done: 123_456_789_012 },
      { ...READING, name: 'replaying', unit: 'threads', done: 123_456, total: 1_234_567 } as const,
    ];
    for (const stage of stages)
      for (let width = 10; width <= 200; width++) {
        const line = progressLine(stage, width);
        expect(stringWidth(line)).toBeLessThanOrEqual(width);
        if (width >= 79 && stage.total !== null && stage.done > 0) expect(line).toMatch(/ left$/);
      }
  });

  test('shows what was read from a pipe, without an estimate', () => {
    expect(progressLine({ ...READING, total: null }, 79)).toBe('reading  1.2 GB  300.0 MB/s  1,750,000 lines/s  4 s');
  });

  test.for([
    [0.2, '1 s'],
    [59, '59 s'],
    [61, '1 min 01 s'],
    [3599, '59 min 59 s'],
    [7500, '2 h 05 min'],
  ] as const)('%f seconds are %s', ([seconds, text]) => expect(clock(seconds)).toBe(text));
});

test('a recording shows its time, its size, and what Ctrl-C does', () => {
  const state = { timeMs: 10_000, elapsedMs: 3_400, bytes: 120e6, isEnding: false };
  expect(recordingText(state)).toBe('3 s of 10 s recorded, 120.0 MB written; Ctrl-C stops and keeps it');
  expect(recordingText({ ...state, timeMs: null, bytes: 0 })).toBe('3 s recorded; Ctrl-C stops and keeps it');
  expect(recordingText({ ...state, isEnding: true })).toBe(
    'perf is writing the rest, 120.0 MB written; Ctrl-C discards it',
  );
});

const ESCAPE = '\u001b';

const RUN = `'${process.execPath}' '${PROGRAM}'`;

describe.skipIf(!hasTerminal).concurrent('on a terminal', () => {
  test('shows progress after a second, and clears the line at the end', async ({ dir }) => {
    await execa('mkfifo', [dir.file('pipe')]);
    const feeding = execa('sh', ['-c', `cat '${SIX_LINES}' - > '${dir.file('pipe')}'`], { stdin: 'pipe' });
    const running = startOnTerminal(`${RUN} render - < '${dir.file('pipe')}'`);
    let seen = '';
    running.stdout?.on('data', (bytes) => {
      seen += bytes;
    });
    await vi.waitFor(() => expect(seen).toContain('reading'), { timeout: 60_000, interval: 50 });
    feeding.stdin?.end();
    await running;
    const drawn = seen.slice(0, seen.indexOf('mem_heap_block_free'));
    expect(drawn).toMatch(/reading {2}[\d.]+ .?B {2}.* \d s/);
    expect(drawn.endsWith(`${ESCAPE}[1G${ESCAPE}[2K`)).toBe(true); // the line is cleared
    expect(seen).not.toContain(`${ESCAPE}[?25l`); // the cursor was never hidden
    for (const line of seen.split(/[\r\n]/))
      expect(stringWidth(line.split(`${ESCAPE}[1G`).at(-1) ?? '')).toBeLessThan(80);
  });

  test.for([
    ['on a dumb terminal', `(cat '${SIX_LINES}'; sleep 2) | ${RUN} render -`, { TERM: 'dumb' }],
    ['with --quiet', `(cat '${SIX_LINES}'; sleep 2) | ${RUN} render - --quiet`, {}],
    ['for shorter work', `${RUN} render '${SIX_LINES}'`, {}],
  ] as const)('shows no progress %s', async ([, command, env]) => {
    const { stdout: seen } = await startOnTerminal(command, env);
    expect(seen).toContain('mem_heap_block_free;mem_block_validate 0');
    expect(seen).not.toContain('reading');
    expect(seen).not.toContain(ESCAPE);
  });

  test('shows the progress of a recording', async ({ dir }) => {
    const root = await machineTree(dir.file('root'));
    const record = `cd '${dir.path}' && ${RUN} record --perf '${FAKE_PERF}' -p 1 -t 2500ms`;
    const { stdout: seen } = await startOnTerminal(record, { PTFLAME_TEST_ROOT: root });
    expect(seen).toMatch(/[12] s of 2\.5 s recorded; Ctrl-C stops and keeps it/);
    expect(seen).toMatch(/wrote perf\.data: [^\r\n]+\r?\nnext: ptflame render perf\.data -o flame\.html/);
  });
});
