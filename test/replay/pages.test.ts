/**
 * A thread that does not fit into memory is replayed from pages in a temporary file: the result is the same, to the byte,
 * wherever its pages end and however few are in memory.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type AnalyzeOptions, analyze, PtflameError } from '../../src/index.js';
import type { ThreadEvents } from '../../src/model/trace/thread-events.js';
import { NONE } from '../../src/model/units.js';
import { untilExit } from '../../src/pipeline/replay/trace-replayer.js';
import { thrown, toThrow } from '../../src/pipeline/workers/thrown.js';
import { PairedRows } from '../../src/replay/pairing/pairing.js';
import { ReplayModule } from '../../src/replay/replay-module.js';
import { Replayer } from '../../src/replay/replayer.js';
import { HEAD_DEPTH, HEAD_STACK_LIMIT } from '../../src/replay/wasm/layout.js';
import { SpillFile } from '../../src/trace/event-memory.js';
import { jsonOf } from '../helpers/checks/files/profile-file.js';
import { everyNth } from '../helpers/random/times.js';
import { traceFiles } from '../helpers/traces/all-fixtures.js';
import { beginningOf, inputOf } from '../helpers/traces/load.js';
import { columnsOf, threadEvents } from '../helpers/traces/thread-events.js';
import { threadsOfBeginning, threadsOfInput } from '../helpers/traces/threads-of.js';
import { TraceWriter } from '../helpers/traces/trace-writer.js';

/** Rows of a page, and pages in memory. */
const SIZES = [
  { pageRows: 4, slots: 1 },
  { pageRows: 16, slots: 3 },
  { pageRows: 128, slots: 2 },
] as const;

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

const inPages = (events: ThreadEvents, size: { readonly pageRows: number; readonly slots: number }) => {
  const { site, timeNs } = columnsOf(events);
  return threadEvents(events.tid, site, timeNs, size);
};

test('rows have what was written to them last', () => {
  const writes = fc.array(fc.tuple(fc.nat(99), fc.nat(1000)), { maxLength: 300 });
  fc.assert(
    fc.property(writes, fc.constantFrom(...SIZES), (all, size) => {
      const expected = new Array<number>(100).fill(0);
      const events = threadEvents(1, expected, expected, size);
      for (const [row, value] of all) {
        events.set(row, value, 2 * value);
        expected[row] = value;
        expect(events.siteAt((7 * row) % 100)).toBe(expected[(7 * row) % 100]);
      }
      expect(columnsOf(events)).toEqual({ site: expected, timeNs: expected.map((value) => 2 * value) });
    }),
  );
});

describe.each(
  everyNth(traceFiles, 3).map((path, index) => [path, SIZES[index % SIZES.length] as (typeof SIZES)[number]] as const),
)('%s', (path, size) => {
  test('replay is the same', async () => {
    const { threads, facts, bounds } = await threadsOfBeginning(path);
    for (const replayer of [new Replayer(facts), new Replayer(facts, null)])
      for (const { events, createdInside, exitNs } of threads) {
        const times = { extendTo: untilExit(bounds, exitNs), createdInside, knownPaths: null };
        const options = { tailCalls: 'nest', ...times, wantsLog: true, wantsPlaces: true } as const;
        const expected = structuredClone(replayer.replay(events, options));
        expect(structuredClone(replayer.replay(inPages(events, size), options))).toEqual(expected);
      }
  });

  test('so is what is loaded, and a window', async () => {
    const text = beginningOf(path.replace('fixtures/', ''));
    const answer = async (options: AnalyzeOptions): Promise<string> => {
      try {
        return jsonOf(await analyze([inputOf(text)], { byCalls: true, ...options }));
      } catch (error) {
        if (error instanceof PtflameError) return error.code;
        throw error;
      }
    };
    const window = { from: { afterStartNs: 10_000 }, to: { afterStartNs: 50_000 } };
    const sizes = { pageRows: size.pageRows, threadBytes: 0 };
    for (const options of [{ durations: true }, { window }])
      expect(await answer({ ...options, sizes })).toBe(await answer(options));
  });
});

test('the module changes a page that was only read before', async () => {
  const lines = new TraceWriter();
  lines.call('main', 'f');
  for (let n = 0; n < 30; n++) {
    lines.call('f', 'g');
    lines.return('g', 'f');
  }
  lines.return('f', 'main');
  const { threads, facts } = await threadsOfInput(inputOf(lines.text));
  const events = inPages(threads[0]?.events as ThreadEvents, { pageRows: 4, slots: 3 });
  const module = ReplayModule.start(facts) as ReplayModule;
  module.begin(events);
  const rows = new PairedRows(module.pairedMemory, events);
  const last = events.length - 1;
  module.head.set(HEAD_STACK_LIMIT, 8);
  module.head.set(HEAD_DEPTH, 0);
  for (let row = 0; row <= last; ) {
    if (row + 4 > last) expect(rows.linkAt(0)).toBe(NONE); // which reads its page
    rows.pages.slotToChange(row);
    row = module.calls.pair(row, module.loadSites(events, row, rows.pages));
  }
  for (let row = 0; row < last; row += 4) rows.linkAt(row === 0 ? last : row);
  expect(rows.linkAt(0)).toBe(last);
});

describe('a temporary file that fails', () => {
  const text = beginningOf('demo/threads.perf.txt.gz');
  const sizes = { pageRows: 16, threadBytes: 0 };

  /** Fails once the thread's file is open. */
  function breakFile(name: 'readSync' | 'writeSync', code: string): void {
    const append = vi.spyOn(SpillFile.prototype, 'append');
    const own = fs[name] as (...args: unknown[]) => number;
    vi.spyOn(fs, name).mockImplementation(((...args: unknown[]) => {
      if (append.mock.calls.length === 0) return own(...args);
      throw Object.assign(new Error(`${code}: it fails, ${name}`), { code, syscall: name });
    }) as never);
    syncBuiltinESMExports();
  }

  test.each([
    ['writeSync', 'ENOSPC', /^cannot write temporary data to .*: no space left$/],
    ['writeSync', 'EIO', /^cannot write temporary data to .*: it fails$/],
    ['readSync', 'EIO', /^cannot read temporary data in .*: it fails$/],
  ] as const)('%s: %s is refused with a remedy', async (name, code, message) => {
    breakFile(name, code);
    const error = await analyze([inputOf(text)], { sizes }).catch((error) => error);
    expect(error).toBeInstanceOf(PtflameError);
    expect(error).toMatchObject({ code: 'TEMPORARY_FILE', hint: expect.stringContaining('--temp-dir DIR') });
    expect(error.message).toMatch(message);
  });

  test('leaves no name behind, and no open file', async () => {
    const before = fs.readdirSync('/proc/self/fd').length;
    const opened = vi.spyOn(fs, 'openSync');
    syncBuiltinESMExports();
    await analyze([inputOf(text)], { sizes });
    const paths = opened.mock.calls.map(([path]) => String(path)).filter((path) => path.startsWith(tmpdir()));
    expect(paths.length).toBeGreaterThan(0);
    expect(paths.filter((path) => fs.existsSync(path))).toEqual([]);
    expect(fs.readdirSync('/proc/self/fd').length).toBe(before);
  });
});

test('an error of a worker keeps its code and its remedy', () => {
  const error = new PtflameError('TEMPORARY_FILE', 'no space', { hint: 'another directory' });
  const received = thrown(new Error(toThrow(error).message));
  expect(received).toBeInstanceOf(PtflameError);
  expect(received).toMatchObject({ code: 'TEMPORARY_FILE', message: 'no space', hint: 'another directory' });
  const other = new Error('other');
  expect(toThrow(other)).toBe(other);
  expect(thrown(other)).toBe(other);
});
