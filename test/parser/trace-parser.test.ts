/**
 * Whole lines become events, records and names; the counts account for every line.
 */
import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LineCounts } from '../../src/model/profile/profile.js';
import { BranchKind, TraceEdge } from '../../src/model/trace/branch-sites.js';
import { FAR, FAR_LENGTH, farTime, NEAR_LENGTH } from '../../src/model/trace/event-runs.js';
import type { GroupedEvents, Mapping, ThreadName, TraceRecord } from '../../src/model/trace/trace-chunk.js';
import { NONE } from '../../src/model/units.js';
import { LineCutter, MAX_LINE_BYTES } from '../../src/parser/lines/lines.js';
import { TraceContext } from '../../src/parser/trace-context.js';
import { TraceParser } from '../../src/parser/trace-parser.js';

interface Parsed {
  /** `tid [cpu] time Edge Kind FROM > TO`, the time in ns since the first whole second. */
  readonly events: string[];
  readonly records: TraceRecord[];
  readonly names: ThreadName[];
  readonly mappings: Mapping[];
  readonly counts: LineCounts;
  readonly damaged: readonly { readonly line: number; readonly text: string; readonly reason: string }[];
}

/** Parses a stream in pieces of some size, like the pipeline. */
function parse(text: string | Uint8Array, pieceBytes = 1 << 20, context = new TraceContext()): Parsed {
  const bytes = Buffer.from(text);
  const parser = new TraceParser(context, 'trace.txt');
  const cutter = new LineCutter();
  const all = {
    events: [] as string[],
    records: [] as TraceRecord[],
    names: [] as ThreadName[],
    mappings: [] as Mapping[],
  };
  const collect = ({ events, records, names, mappings }: ReturnType<TraceParser['parse']>) => {
    for (const columns of events.map(columnsOf))
      all.events.push(...columns.tid.map((_, row) => describeEvent(columns, row, context)));
    all.records.push(...records);
    all.names.push(...names);
    all.mappings.push(...mappings);
  };
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    for (const lines of cutter.cut(bytes.subarray(at, at + pieceBytes))) collect(parser.parse(lines));
    parser.addOverlong(cutter.takeOverlong());
  }
  collect(parser.finish(cutter.rest()));
  return {
    ...all,
    counts: parser.counts,
    damaged: parser.damaged.map(({ line, text, reason }) => ({ line, text, reason })),
  };
}

type Columns = Record<'tid' | 'cpu' | 'site' | 'timeNs', ArrayLike<number>>;

function columnsOf({ runs, events }: GroupedEvents) {
  const columns = { tid: [] as number[], cpu: [] as number[], site: [] as number[], timeNs: [] as number[] };
  let at = 0;
  for (const { tid, cpu, length } of runs) {
    let timeNs = Number.NaN;
    for (const end = at + length; at < end; at += NEAR_LENGTH) {
      const isFar = events[at] === FAR;
      timeNs = isFar ? farTime(events, at) : timeNs + events[at + 1];
      columns.tid.push(tid);
      columns.cpu.push(cpu);
      columns.site.push(events[isFar ? at + 1 : at]);
      columns.timeNs.push(timeNs);
      if (isFar) at += FAR_LENGTH - NEAR_LENGTH;
    }
  }
  return columns;
}

function describeEvent({ tid, cpu, site, timeNs }: Columns, row: number, { interner }: TraceContext): string {
  const { kind, edge, from, to, fromSymbol, toSymbol } = interner.sites.build();
  const { name, dso, dsoName } = interner.symbols.build();
  const at = site[row];
  const end = (address: number, symbol: number) =>
    `${address.toString(16)} ${symbol === NONE ? '-' : name[symbol]}${(dso[symbol] ?? NONE) === NONE ? '' : ` (${dsoName[dso[symbol]]})`}`;
  const kinds = [keyOf(TraceEdge, edge[at]), keyOf(BranchKind, kind[at])].filter((word) => word !== 'None').join(' ');
  return `${tid[row]} [${cpu[row]}] ${timeNs[row]} ${kinds} ${end(from[at], fromSymbol[at])} > ${end(to[at], toSymbol[at])}`;
}

function keyOf(table: Readonly<Record<string, number>>, code: number): string {
  return Object.keys(table).find((key) => table[key] === code) ?? `code ${code}`;
}

function fixture(name: string): Buffer {
  return readFileSync(new URL(`../../fixtures/${name}`, import.meta.url));
}

/** A call at a time, as a whole line. */
function callAt(time: string, tid = '14820'): string {
  return `${tid} [000]  ${time}:   call                       401163 main+0xa3 =>           401260 leaf+0x0\n`;
}

const TIMELESS_CALL = '14820 [000]   call                       401163 main+0xa3 =>           401260 leaf+0x0\n';

describe('counts the lines of each fixture', () => {
  // lines, and of these: branches, perf's errors, ignored, damaged
  test.each([
    ['constructed/perf-6.15-flags.txt', [11, 10, 0, 1, 0]],
    // One line is 12 million seconds from its neighbours.
    ['constructed/pre-6.15-flags.txt', [16, 13, 2, 0, 1]],
    ['hardware/go-gogo-switch.txt', [32, 32, 0, 0, 0]],
    ['hardware/kernel-hwint-syscall.txt', [34, 34, 0, 0, 0]],
    ['hardware/mysql-cr-target-fields.txt', [6, 6, 0, 0, 0]],
    ['hardware/ocaml-poptrap-offset-call.txt', [9, 9, 0, 0, 0]],
    ['hardware/ocaml-raise-jmp.txt', [13, 13, 0, 0, 0]],
    ['hardware/overflow-memmove.txt', [16, 15, 1, 0, 0]],
    ['hardware/overflow-tailcalls.txt', [30, 28, 2, 0, 0]],
    ['hardware/sampling-callchain.txt', [20, 0, 0, 20, 0]],
    ['lab/cpp-exception-operators-lambda.txt', [98, 98, 0, 0, 0]],
    ['lab/demo-be.txt', [633, 633, 0, 0, 0]],
    ['lab/demo-cre.txt', [248, 248, 0, 0, 0]],
    ['lab/fields-callindent.txt', [13, 0, 0, 0, 13]],
    ['lab/fields-default.txt', [13, 0, 0, 0, 13]],
    ['lab/fields-deltatime.txt', [8, 8, 0, 0, 0]],
    ['lab/fields-no-sym.txt', [13, 13, 0, 0, 0]],
    ['lab/fields-no-symoff.txt', [13, 13, 0, 0, 0]],
    ['lab/fields-per-thread-cpu-minus1.txt', [6, 6, 0, 0, 0]],
    ['lab/fields-per-thread-no-cpu.txt', [13, 13, 0, 0, 0]],
    ['lab/fields-pid-tid-cpu-event-dso.txt', [13, 13, 0, 0, 0]],
    ['lab/fields-power-events-default.txt', [6, 0, 0, 2, 4]],
    ['lab/fields-power-events-noevent.txt', [8, 6, 0, 2, 0]],
    ['lab/fields-srcline.txt', [13, 6, 0, 7, 0]],
    ['lab/fields-timeless-no-time.txt', [8, 8, 0, 0, 0]],
    ['lab/fields-usec-time.txt', [13, 13, 0, 0, 0]],
    ['lab/getpc-retpoline-fiber-vdso.txt', [56, 56, 0, 0, 0]],
    ['lab/jit-missing-code.txt', [12, 11, 1, 0, 0]],
    ['lab/missing-binary.txt', [194, 193, 1, 0, 0]],
    ['lab/overflow-and-lost.txt', [35, 33, 2, 0, 0]],
    ['lab/sideband-default-fields.txt', [26, 0, 0, 26, 0]],
    ['lab/thread-create-switch-migrate.txt', [73, 42, 0, 31, 0]],
  ])('%s', (name, [lines, events, gapLines, ignoredLines, damagedLines]) => {
    expect(parse(fixture(name)).counts).toEqual({ lines, events, gapLines, ignoredLines, damagedLines });
  });
});

describe('turns branches into events', () => {
  test('with thread, CPU, time, kind, addresses, symbols and files', () => {
    const text = `
114078 [003] 858572.850211120:   call                            3b4ee4a mem_heap_block_free+0x1a =>          3b4eb80 mem_block_validate+0x0
114078 [003] 858573.000000001:   tr end  syscall            7ffff7d30265 __GI___kill+0x5 (/lib/libc.so.6) =>                0 [unknown] ([unknown])
114079 [-01] 858573.000000002:   hw int                     7faea66c0a6e [unknown] => ffffffffae200ab0 asm_exc_page_fault+0x0
114079 858573.000000003:   return                     401163 =>     401260
`.trimStart();
    expect(parse(text).events).toEqual([
      '114078 [3] 850211120 Call 3b4ee4a mem_heap_block_free > 3b4eb80 mem_block_validate',
      '114078 [3] 1000000001 End Syscall 7ffff7d30265 __GI___kill (/lib/libc.so.6) > 0 -',
      '114079 [-1] 1000000002 Interrupt 7faea66c0a6e [unknown] > -51dff550 asm_exc_page_fault',
      '114079 [-1] 1000000003 Return 401163 [unknown] > 401260 [unknown]',
    ]);
  });

  test('gives equal branches one site, and equal names one symbol', () => {
    const context = new TraceContext();
    const before = { sites: context.interner.sites.build().length, symbols: context.interner.symbols.build().length };
    parse(
      callAt('1.000000000') + callAt('1.000000001', '7') + callAt('1.000000002').replace('call  ', 'return'),
      9,
      context,
    );
    expect(context.interner.sites.build().length - before.sites).toBe(2);
    expect(context.interner.symbols.build().length - before.symbols).toBe(2);
  });

  test('computes the start of a function from the offset, if that is plausible', () => {
    const context = new TraceContext();
    parse(
      `${callAt('1.000000000')}5 1.000000001: return 401163 f+0xffffffffff22f000 => ffffffff81a00010 g+0x10\n`,
      99,
      context,
    );
    const { fromStart, toStart } = context.interner.sites.build();
    expect([...fromStart.slice(-2)]).toEqual([0x4010c0, Number.NaN]);
    expect([...toStart.slice(-2)]).toEqual([0x401260, -0x7e600000]);
  });

  test('decodes names as UTF-8, and shows invalid bytes', () => {
    const line = (name: Buffer) =>
      Buffer.concat([Buffer.from('5 1.000000000: call 40 '), name, Buffer.from('+0x0 => 50 b+0x0\n')]);
    expect(parse(line(Buffer.from('größe::€'))).events).toEqual(['5 [-1] 0 Call 40 größe::€ > 50 b']);
    expect(parse(line(Buffer.from([0x61, 0xff, 0x62]))).events).toEqual(['5 [-1] 0 Call 40 a\ufffdb > 50 b']);
  });

  test('accepts carriage returns at line ends', () => {
    const text = callAt('1.000000000') + callAt('1.000000001');
    expect(parse(text.replaceAll('\n', '\r\n')).events).toEqual(parse(text).events);
  });

  test('ends the trace at an asynchronous branch, whether or not perf prints that', () => {
    const text =
      '5 1.000000000: async  401163 f+0x3 => 0 [unknown]\n5 1.000000001: tr strt  0 [unknown] => 401163 f+0x3\n';
    expect(parse(text).events[0]).toBe('5 [-1] 0 End Async 401163 f > 0 -');
  });

  test('ignores branches not taken, and those of idle threads', () => {
    const text = `${callAt('1.000000000').replace('call          ', 'jcc/not_taken/')}${callAt('1.000000001', '0')}${callAt('1.000000002', '-1')}`;
    expect(parse(text)).toMatchObject({ events: [], counts: { lines: 3, ignoredLines: 3 } });
  });

  test('takes branches of thread 0 in the kernel as those of the idle task of their CPU', () => {
    const at = (cpu: string, from: string) =>
      `0 ${cpu}1.000000000: call ${from} idle+0x1 => ffffffff81000010 halt+0x0\n`;
    const { events, names, counts } = parse(at('[003] ', 'ffffffff81000001') + at('[001] ', 'ffffffff81000001'));
    expect(events.map((event) => event.split(' ').slice(0, 2).join(' '))).toEqual(['4194307 [3]', '4194305 [1]']);
    expect(names).toMatchObject([
      { tid: 4194307, pid: 0, comm: 'swapper/3' },
      { tid: 4194305, pid: 0, comm: 'swapper/1' },
    ]);
    expect(counts).toMatchObject({ events: 2, ignoredLines: 0 });
    expect(parse(at('', 'ffffffff81000001'))).toMatchObject({ events: [], counts: { ignoredLines: 1 } });
  });

  test('treats unknown flags as jumps, and keeps them for the report', () => {
    const context = new TraceContext();
    const { events } = parse(callAt('1.000000000').replace('call', 'hop ').repeat(3), 99, context);
    expect(events).toHaveLength(3);
    expect(events[0]).toContain(' Jump ');
    expect(context.unknownFlags).toMatchObject({ lines: 3, words: ['hop'] });
  });

  test('keeps the hundred smallest unknown flags, 80 characters of each, whatever their order', () => {
    const flags = Array.from({ length: 1000 }, (_, index) => `hop${String(index).padStart(3, '0')}${'ü'.repeat(50)}`);
    const text = (order: readonly string[]) =>
      order.map((flag) => callAt('1.000000000').replace('call', flag)).join('');
    for (const order of [flags, flags.toReversed(), [...flags, ...flags]]) {
      const context = new TraceContext();
      parse(text(order), 9999, context);
      expect(context.unknownFlags.lines).toBe(order.length);
      expect(context.unknownFlags.words).toEqual(
        flags.slice(0, 100).map((flag) => `${flag.slice(0, 6)}${'ü'.repeat(37)}`),
      );
    }
  });

  test('counts branches without flags, for a hint', () => {
    const context = new TraceContext();
    parse(fixture('lab/fields-default.txt'), 99, context);
    expect(context.flagless).toBe(13);
  });
});

describe("turns perf's errors into gaps", () => {
  const error = (time: string, ids = 'cpu 3 pid 14820 tid 14820') =>
    ` instruction trace error type 1${time} ${ids} ip 0x401260 code 7: Overflow packet\n`;

  test('at their time', () => {
    const { records, counts } = parse(callAt('5.000000001') + error(' time 6.000000009'));
    expect(records).toEqual([
      {
        what: 'gap',
        tid: 14820,
        cpu: 3,
        timeNs: 1_000_000_009,
        code: 7,
        message: 'Overflow packet',
        ip: 0x401260,
        pid: 14820,
      },
    ]);
    expect(counts).toEqual({ lines: 2, events: 1, gapLines: 1, ignoredLines: 0, damagedLines: 0 });
  });

  test('with a message cut to a length that no message of perf has', () => {
    const { records } = parse(error(' time 6.000000009').replace('Overflow', 'ü'.repeat(10_000)));
    expect(records).toMatchObject([{ message: 'ü'.repeat(100) }]);
  });

  test.each([['', ' time 0']])('or without a time, at the last time of their thread', (time) => {
    const before = callAt('5.000000001') + callAt('5.000000002', '77');
    expect(parse(before + error(time)).records[0]?.timeNs).toBe(1);
    expect(parse(before + error(time, 'cpu 3 pid 9 tid 9')).records[0]?.timeNs).toBe(2);
    expect(parse(before + error(time, 'cpu -1 pid -1 tid -1')).records[0]).toMatchObject({
      tid: NONE,
      cpu: NONE,
      timeNs: 2,
    });
  });
});

describe("turns the kernel's records into switches, execs, forks, exits and names", () => {
  test.each([
    ['SWITCH IN', [{ what: 'switch', direction: 'in', tid: 5, cpu: 1, timeNs: 7 }], []],
    ['SWITCH OUT preempt', [{ what: 'switch', direction: 'preempted', tid: 5, cpu: 1, timeNs: 7 }], []],
    ['SWITCH_CPU_WIDE OUT  next pid/tid: 1/1', [{ what: 'switch', direction: 'out', tid: 5, cpu: 1, timeNs: 7 }], []],
    ['COMM: new name:4/6', [], [{ tid: 6, pid: 4, comm: 'new name', parent: null, timeNs: 7 }]],
    [
      'COMM exec: größe:4/6',
      [{ what: 'exec', pid: 4, tid: 6, cpu: 1, timeNs: 7 }],
      [{ tid: 6, pid: 4, comm: 'größe', parent: null, timeNs: 7 }],
    ],
    [
      'FORK(4:6):(3:5)',
      [{ what: 'fork', pid: 4, parentPid: 3, tid: 6, cpu: 1, timeNs: 7 }],
      [
        { tid: 6, pid: 4, comm: null, parent: 5, timeNs: 7 },
        { tid: 5, pid: 3, comm: null, parent: null, timeNs: 7 },
      ],
    ],
    ['EXIT(4:6):(4:5)', [{ what: 'exit', pid: 4, tid: 6, cpu: 1, timeNs: 7 }], []],
    ['MMAP2 4/6: [0x401000(0x1000) @ 0x1000 fe:00 2277498 0]: r-xp /opt/lab/demo', [], []],
  ])('%s', (record, records, names) => {
    const parsed = parse(`5 [001] 3.000000007: PERF_RECORD_${record}\n`);
    expect(parsed).toMatchObject({ records, names, counts: { lines: 1, ignoredLines: 1 } });
  });

  test('keeps mappings with their process and time', () => {
    const mmap = (time: string, file: string) =>
      `5 [001] ${time}: PERF_RECORD_MMAP2 4/5: [0x401000(0x1000) @ 0x3000 fe:00 1 0]: r-xp ${file}\n`;
    const { mappings, counts } = parse(mmap('0.000000000', '/opt/größe') + mmap('3.000000007', '/opt/b c'));
    expect(counts).toMatchObject({ lines: 2, ignoredLines: 2 });
    const mapping = { pid: 4, start: 0x401000, length: 0x1000, fileOffset: 0x3000 };
    expect(mappings).toEqual([
      { ...mapping, timeNs: Number.NEGATIVE_INFINITY, file: '/opt/größe' },
      { ...mapping, timeNs: 7, file: '/opt/b c' },
    ]);
  });

  test('takes only names from a fork that perf synthesizes at time 0', () => {
    const { records, names } = parse('swapper 0 0.000000000: PERF_RECORD_FORK(4:6):(3:5)\n');
    expect(records).toEqual([]);
    expect(names).toMatchObject([
      { tid: 6, pid: 4, parent: 5 },
      { tid: 5, pid: 3 },
    ]);
  });

  test('does not count time from records that perf synthesizes at time 0', () => {
    const context = new TraceContext();
    const text = `   swapper     0     0.000000000: PERF_RECORD_COMM: demo:5/5\n${callAt('20000000.000000001')}${callAt('20000000.000000002')}`;
    expect(parse(text, 99, context).events.map((event) => event.split(' ')[2])).toEqual(['1', '2']);
    expect(context.originSeconds).toBe(20_000_000);
  });
});

describe('adds names of threads', () => {
  const named = (comm: string, time: string) => `${comm.padStart(16)} ${callAt(time, '4/5')}`;

  test('when they change, not with every event', () => {
    const text = named('a', '1.000000000') + named('a', '1.000000001') + named('größe', '1.000000002').repeat(3);
    expect(parse(text).names).toEqual([
      { tid: 5, pid: 4, comm: 'a', parent: null, timeNs: 0 },
      { tid: 5, pid: 4, comm: 'größe', parent: null, timeNs: 2 },
    ]);
  });

  test('only if they were printed', () => {
    expect(parse(callAt('1.000000000')).names).toEqual([]);
  });

  test('also for a process id alone', () => {
    expect(parse(callAt('1.000000000', '4/5')).names).toEqual([
      { tid: 5, pid: 4, comm: null, parent: null, timeNs: 0 },
    ]);
  });
});

describe('counts damaged lines, and shows the first ones', () => {
  test('with line, text and reason', () => {
    const text = `${callAt('1.000000000')}garbage \xff\n${callAt('1.000000001')}14820 [000] 1.000000002: call  4011`;
    expect(parse(Buffer.from(text, 'latin1'))).toMatchObject({
      counts: { lines: 4, events: 2, damagedLines: 2 },
      damaged: [
        { line: 2, text: 'garbage \ufffd', reason: 'not a line of perf script' },
        { line: 4, text: '14820 [000] 1.000000002: call  4011', reason: 'the last line has no newline: it may be cut' },
      ],
    });
  });

  test('at most ten, each cut to a readable length', () => {
    const { counts, damaged } = parse(`${'x'.repeat(500)}\n`.repeat(50));
    expect(counts).toMatchObject({ lines: 50, damagedLines: 50 });
    expect(damaged.map(({ line, text }) => `${line}: ${text.length}`)).toEqual(
      Array.from({ length: 10 }, (_, index) => `${index + 1}: 200`),
    );
  });

  test.each([100, 1000, 70_000, 1 << 20])('also lines that are too long, read in pieces of %i bytes', (pieceBytes) => {
    const long = callAt('1.000000001').replace('leaf', 'x'.repeat(MAX_LINE_BYTES));
    expect(parse(callAt('1.000000000') + long + callAt('1.000000002') + long.trim(), pieceBytes)).toMatchObject({
      counts: { lines: 4, events: 2, damagedLines: 2 },
      damaged: [2, 4].map((line) => ({ line, text: '', reason: 'longer than any line of perf' })),
    });
  });
});

describe('checks times', () => {
  const NO_TIME = 'no time, unlike the lines around it';
  const OUT_OF_LINE = 'its time does not fit the lines around it';
  const damagedIn = (text: string) => parse(text).damaged.map(({ line, reason }) => `${line}: ${reason}`);

  test('accepts a trace without times', () => {
    const context = new TraceContext();
    expect(parse(TIMELESS_CALL.repeat(3), 99, context).events).toHaveLength(3);
    expect(context).toMatchObject({ timeless: 3, timed: 0, originSeconds: null });
  });

  test.each([
    ['skips one line without a time', 1],
    ['skips two lines without a time', 2],
  ])('%s', (_, count) => {
    const text = callAt('1.000000000') + TIMELESS_CALL.repeat(count) + callAt('1.000000002').repeat(20);
    expect(parse(text).counts).toMatchObject({ events: 21, damagedLines: count });
    expect(damagedIn(text)[0]).toBe(`2: ${NO_TIME}`);
  });

  test('skips the first line if it has no time', () => {
    const context = new TraceContext();
    const text = TIMELESS_CALL + callAt('1.000000002').repeat(20);
    expect(parse(text, 99, context).counts).toMatchObject({ events: 20, damagedLines: 1 });
    expect(damagedIn(text)).toEqual([`1: ${NO_TIME}`]);
    expect(context).toMatchObject({ timeless: 0, timed: 20 });
  });

  test('treats a garbled time as damage', () => {
    const text = callAt('1.000000000') + callAt('1.00000x001') + callAt('1.000000002');
    expect(parse(text).counts).toMatchObject({ events: 2, damagedLines: 1 });
  });

  test.each([
    ['a line far ahead of its neighbours', ['1.000000000', '9.000000001', '1.000000002', '1.000000003'], [2]],
    ['a line far before them', ['5.000000000', '5.000000001', '1.000000002', '5.000000003'], [3]],
    ['none: a long wait', ['1.000000000', '9.000000001', '9.000000002', '9.000000003'], []],
    ['none: a second recording after the first', ['5.000000000', '5.000000001', '1.000000002', '1.000000003'], []],
    ['the last line, hours ahead of all others', ['1.000000000', '1.000000001', '3601.000000001'], [3]],
    ['the last line, hours before them', ['9001.000000000', '9001.000000001', '1.000000000'], [3]],
    ['the first line, hours before the others', ['1.000000000', '9001.000000001', '9001.000000002'], [1]],
    ['none: a last line after a wait', ['1.000000000', '1.000000001', '3000.000000001'], []],
    ['none: the only line', ['5000.000000000'], []],
    ['none: clocks of two CPUs', ['5.000900000', '5.000000001', '5.000900002', '5.000000003'], []],
  ])('drops %s', (_, times, lines) => {
    expect(damagedIn(times.map((time) => callAt(time)).join(''))).toEqual(
      lines.map((line) => `${line}: ${OUT_OF_LINE}`),
    );
  });

  test('keeps times exact, however long the machine has been running', () => {
    const events = parse(callAt('4000000000.123456789') + callAt('4000000001.123456788')).events;
    expect(events.map((event) => event.split(' ')[2])).toEqual(['123456789', '1123456788']);
  });

  test('counts the times of all inputs from one origin', () => {
    const context = new TraceContext();
    parse(callAt('100.000000005'), 99, context);
    expect(parse(callAt('98.000000005'), 99, context).events[0]).toContain(' -1999999995 ');
  });
});

describe('gives the same result for any size of pieces', () => {
  const begin = callAt('5.000000001', '4/5') + callAt('5.000000002', '4/5') + callAt('5.000000003', '4/5');
  const sizes = [1 << 20, 90, 150, 260, 350, 450];

  test.each(sizes)('for an error without a time: it gets the last valid time of its thread, %i', (size) => {
    const error = ' instruction trace error type 1 cpu 3 pid 4 tid 5 ip 0x401260 code 7: Overflow packet\n';
    const back = callAt('5.000000500', '4/5') + callAt('5.000000300', '4/5') + callAt('5.000000600', '77/77');
    expect(parse(begin + back + error, size).records[0]?.timeNs).toBe(300);
    const earlier = callAt('4.000000000', '4/5').repeat(2) + callAt('4.000000006', '77/77').repeat(2);
    expect(parse(begin + earlier + error, size).records[0]?.timeNs).toBe(-1e9);
    const ahead = callAt('9.000000500', '4/5') + callAt('5.000000600', '77/77').repeat(2);
    expect(parse(begin + ahead + error, size).records[0]?.timeNs).toBe(3);
  });

  test.each(sizes)('for a thread whose process differs between records and branches, %i', (size) => {
    const record = '5 [000] 5.000000004: PERF_RECORD_COMM: other:9/5\n';
    const { names } = parse(begin + record + callAt('5.000000005', '4/5') + callAt('5.000000006', '4/5'), size);
    expect(names.map(({ pid, timeNs }) => [pid, timeNs])).toEqual([
      [4, 1],
      [9, 4],
      [4, 5],
    ]);
  });

  test.each(sizes)('for times further apart than any recording lasts: they are damaged, %i', (size) => {
    const far = callAt('4503605.000000000', '4/5') + callAt('20000000.000000007', '4/5').repeat(20);
    const error = ' instruction trace error type 1 time 9999999999.000000000 cpu 3 pid 4 tid 5 ip 0 code 7: Overflow\n';
    const record = '5 [000] 9999999999.000000000: PERF_RECORD_SWITCH OUT\n';
    const { events, records, counts, damaged } = parse(begin + begin + far + error + record, size);
    expect(events.map((event) => event.split(' ')[2]).every((ns) => Number(ns) < 10)).toBe(true);
    expect(records).toEqual([]);
    expect(counts).toEqual({ lines: 29, events: 6, gapLines: 0, ignoredLines: 0, damagedLines: 23 });
    expect(damaged[0]?.reason).toBe('its time is more than 52 days from that of the first line');
  });
});

/** Real lines of all sorts, to be cut and spliced. */
const REAL_LINES = ['lab', 'hardware', 'constructed'].flatMap((folder) =>
  readdirSync(new URL(`../../fixtures/${folder}`, import.meta.url)).flatMap((name) =>
    fixture(`${folder}/${name}`).toString('latin1').split('\n').slice(0, 12),
  ),
);
const realLine = fc.constantFrom(...REAL_LINES);
const flippedLine = fc.tuple(realLine, fc.nat(), fc.integer({ min: 0, max: 255 })).map(([line, at, byte]) => {
  const cut = line.length === 0 ? 0 : at % line.length;
  return line.slice(0, cut) + String.fromCharCode(byte) + line.slice(cut + 1);
});
const splicedLine = fc
  .tuple(realLine, realLine, fc.nat(), fc.nat())
  .map(([head, tail, a, b]) => head.slice(0, a % (head.length + 1)) + tail.slice(b % (tail.length + 1)));
const anyBytes = fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes).toString('latin1'));
const overlongLine = realLine.map((line) => line + 'x'.repeat(MAX_LINE_BYTES));
const lineOfAnySort = fc.oneof(
  { weight: 8, arbitrary: realLine },
  { weight: 4, arbitrary: flippedLine },
  { weight: 4, arbitrary: splicedLine },
  { weight: 2, arbitrary: anyBytes },
);
const input = fc
  .tuple(fc.array(lineOfAnySort, { maxLength: 40 }), fc.option(overlongLine, { freq: 8 }), fc.boolean())
  .map(([lines, overlong, isWhole]) => {
    const all = overlong === null ? lines : [...lines.slice(0, 3), overlong, ...lines.slice(3)];
    return Buffer.from(all.join('\n') + (isWhole ? '\n' : ''), 'latin1');
  });

test('accounts for every line of any bytes exactly once', () => {
  fc.assert(
    fc.property(input, (bytes) => {
      const { events, records, counts } = parse(bytes);
      const { lines, gapLines, ignoredLines, damagedLines } = counts;
      const newlines = bytes.filter((byte) => byte === 10).length;
      expect(lines).toBe(newlines + (bytes.length > 0 && bytes.at(-1) !== 10 ? 1 : 0));
      expect(counts.events + gapLines + ignoredLines + damagedLines).toBe(lines);
      expect(events).toHaveLength(counts.events);
      expect(records.filter(({ what }) => what === 'gap')).toHaveLength(gapLines);
    }),
    { numRuns: 80 },
  );
});

/** Pieces may group events by lane; the order within a lane stays. */
function byLane(parsed: Parsed): Parsed {
  const lane = (event: string) => event.slice(0, event.indexOf(']'));
  const events = parsed.events.toSorted((a, b) => (lane(a) < lane(b) ? -1 : lane(a) > lane(b) ? 1 : 0));
  return { ...parsed, events };
}

test('gives the same result wherever the bytes are cut', () => {
  const pieceBytes = fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 100_000 }));
  fc.assert(
    fc.property(input, pieceBytes, (bytes, size) => {
      const fewPieces = Math.max(size, Math.ceil(bytes.length / 1000));
      expect(byLane(parse(bytes, fewPieces))).toEqual(byLane(parse(bytes)));
    }),
    { numRuns: 80 },
  );
});
