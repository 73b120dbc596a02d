/**
 * What `ptflame info` prints of an imported trace.
 */
import { expect, test } from 'vitest';
import type { TraceInfo } from '../../../cli/info/trace-info.js';
import { importedLines } from '../../../cli/info/trace-info.js';

const WITHOUT_CALLS: TraceInfo = {
  file: 'w.ptf',
  kind: 'imported trace',
  sizeBytes: 5600,
  events: 0,
  lines: 0,
  damagedLines: 0,
  durationNs: 39_000_000,
  hasTimes: false,
  branches: 0,
  functions: 0,
  threads: [],
  brokenInputs: [],
  samples: { events: [], unreadable: 0, damaged: 0, others: [] },
  sides: [{ file: 'w.data.wakes.data', isMissing: false, samples: 4721 }],
  host: 'web1',
  command: ['perf', 'record', '--', './my program', '\x1b[31m'],
};

test('of a recording without Intel PT: no lines, branches and threads, of which it cannot have any', () => {
  expect(importedLines(WITHOUT_CALLS)).toEqual([
    'file     w.ptf, an imported trace, 5.6 kB',
    `command  perf record -- './my program' "$(printf -- '\\033[31m')"`,
    'host     web1',
    'time     39 ms',
    'events   none: recorded without Intel PT',
    'wakings  4,721 samples of w.data.wakes.data',
  ]);
});

test('with events: all of these', () => {
  const lines = importedLines({
    ...WITHOUT_CALLS,
    events: 10,
    lines: 12,
    threads: [{ tid: 7, events: 10, cpus: [0] }],
  });
  expect(lines.map((line) => line.split(' ')[0])).toEqual(
    expect.arrayContaining(['lines', 'events', 'branches', 'threads']),
  );
});
