/**
 * Samples of tracepoints and probes in text: their tables equal those of the recording.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type SampleTable, tableOf } from '../../src/model/sample-table.js';
import { LineReader } from '../../src/parser/line-reader.js';
import { type StandalonePiece, standalonePiece } from '../../src/parser/pieces/standalone-piece.js';
import { TraceContext } from '../../src/parser/trace-context.js';
import { TraceParser } from '../../src/parser/trace-parser.js';
import { readRecording } from '../../src/perfdata/read-recording.js';
import { fileOf } from '../helpers/perf/perf-data.js';
import { fixture } from '../helpers/traces/load.js';

/** Parses text that is cut into pieces after these lines. */
function parsed(text: string, cuts: readonly number[] = []): TraceParser {
  const parser = new TraceParser(new TraceContext(), 'text');
  const lines = text.split('\n').slice(0, -1);
  let from = 0;
  for (const to of [...cuts.toSorted((a, b) => a - b), lines.length]) {
    if (to > from) parser.parse(Buffer.from(`${lines.slice(from, to).join('\n')}\n`));
    from = Math.max(from, to);
  }
  parser.finish(new Uint8Array());
  return parser;
}

/** Returns the rows of a table, as texts; only what text has. */
function rowsOf({ event, length, timeNs, tid, cpu, fields }: SampleTable, names: readonly string[]): string[] {
  const columns = names.map((name) => {
    const field = fields.find((field) => field.name === name);
    return field?.texts ?? field?.numbers;
  });
  return Array.from({ length }, (_, row) =>
    [event, timeNs[row], tid[row], cpu[row], ...columns.map((column) => column?.[row])].join('|'),
  );
}

const namesOf = ({ fields }: SampleTable) => fields.map(({ name }) => name);
const allRows = (tables: readonly SampleTable[]) => tables.map((table) => rowsOf(table, namesOf(table)));

const branch = (ns: number) =>
  `77 [003] 100.${String(ns).padStart(9, '0')}:   call          401000 main+0x0 => 402000 work+0x0\n`;
const sample = (ns: number, text: string) => `77 [003] 100.${String(ns).padStart(9, '0')}: ${text}\n`;

describe('samples in text', () => {
  test.each(['waitlab.proc', 'waitlab.wake', 'waits', 'values'])('%s equals the recording', async (name) => {
    const { samples } = await readRecording(fileOf(fixture(`waits/${name}.data.gz`)));
    const { samples: read, counts } = parsed(fixture(`waits/${name}.txt.gz`).toString());
    expect(counts.damagedLines).toBe(0);
    const tables = read.build();
    expect(tables.map(({ event, length }) => [event, length])).toEqual(
      samples.tables.filter(({ length }) => length > 0).map(({ event, length }) => [event, length]), // text has no empty ones
    );
    for (const table of tables) {
      const twin = tableOf(samples.tables, table.event) as SampleTable;
      // perf prints the lower bits of small negative numbers, no arrays, and some fields under other names
      const names = namesOf(table).filter(
        (name) =>
          namesOf(twin).includes(name) &&
          !(table.event === 'probe_p:ints' && 'ac'.includes(name)) &&
          !name.endsWith('list'),
      );
      expect(rowsOf(table, names)).toEqual(rowsOf(twin, names));
    }
  });

  test('are the same wherever the text is cut', () => {
    const text = ['waitlab.proc', 'values'].map((name) => fixture(`waits/${name}.txt.gz`).toString()).join('');
    const around = `${branch(1)}${branch(2)}${text.replaceAll(/(\d+)\.(\d{9}):/g, '100.$2:')}${branch(3)}`;
    const whole = allRows(parsed(around).samples.build());
    const lines = around.split('\n').length;
    fc.assert(
      fc.property(fc.array(fc.nat(lines), { maxLength: 12 }), (cuts) => {
        expect(allRows(parsed(around, cuts).samples.build())).toEqual(whole);
      }),
      { numRuns: 8 },
    );
  });

  test('are the same if another worker reads them', () => {
    const text = fixture('waits/values.txt.gz')
      .toString()
      .replaceAll(/(\d+)\.(\d{9}):/g, '100.$2:');
    const parser = new TraceParser(new TraceContext(), 'text');
    parser.parse(Buffer.from(`${branch(1)}${branch(2)}`));
    const reader = new LineReader();
    for (const part of text.split(/(?<=probe_p:texts.*\n)/)) {
      const piece = standalonePiece(reader, reader.read(Buffer.from(part)), 100) as StandalonePiece;
      parser.addStandalone(structuredClone(piece));
    }
    expect(allRows(parser.samples.build())).toEqual(allRows(parsed(`${branch(1)}${branch(2)}${text}`).samples.build()));
    expect(parser.samples.lines).toBe(194);
  });
});

describe('samples without their event', () => {
  const eventOf = (text: string) =>
    parsed(sample(1, text.endsWith(']') || text.endsWith(')') ? text : `${text}               0`)).samples.build()[0]
      ?.event;
  test.each([
    ['comm=a pid=1 pid=7 prio=120 target_cpu=003', 'sched:sched_waking'],
    ['comm=a pid=7 prio=120 target_cpu=003 ffffffff81002000 [unknown]', 'sched:sched_waking'],
    ['(401000)               0     401000 push+0x0 (/opt/a b)', 'probe:0x401000'],
    [
      'prev_comm=a ==> b prev_pid=1 prev_prio=120 prev_state=R+ ==> next_comm=x => 40 next_pid=2 next_prio=120',
      'sched:sched_switch',
    ],
    ['a:b:12 [120] S ==> swapper/0:0 [120]', 'sched:sched_switch'],
    [
      'uaddr: 0x4, op: 0x00000080, val: 0x00000000, utime: 0x00000000, uaddr2: 0x00000000, val3: 0x00000001',
      'syscalls:sys_enter_futex',
    ],
    ['0xffffffffffffff92', 'syscalls:sys_exit_futex'],
    ['NR 0 (3, 7ffe1c02b2d0, 400, 0, 0, 0)', 'raw_syscalls:sys_enter'],
    ['(7ffff7e5a100) lock=0x55555556c500 owner=9747', 'probe:0x7ffff7e5a100'],
    ['(401000 <- 402005)', 'probe:0x401000%return'],
    ['  call                 (401000)', 'probe:0x401000'],
  ])('%s', (text, event) => expect(eventOf(text)).toBe(event));

  test('are counted if their fields are of no usual event', () => {
    const { samples, counts } = parsed(sample(1, 'irq=3 name=timer               0'));
    expect([samples.lines, samples.build(), counts.damagedLines]).toEqual([1, [], 0]);
  });
});

test('values are those of a recording', () => {
  const [futex, exit, switched, entered] = parsed(
    [
      'syscalls:sys_enter_futex: uaddr: 0x4, op: 0x00000080, val: 0xffffffffffffffff, utime: 0x00000000, uaddr2: 0x00000000, val3: 0x00000001',
      'syscalls:sys_exit_futex: 0xffffffffffffff92',
      'sched:sched_switch: prev_comm=gr\u00fc\u00df = 1 prev_pid=1 prev_prio=120 prev_state=R+ ==> next_comm=12 next_pid=2 next_prio=-51',
      'raw_syscalls:sys_enter: NR 202 (7ffe1c02b2d0, 80, 2, 0, 0, ffffffff)',
    ]
      .map((text, at) => sample(at, text))
      .join(''),
  )
    .samples.build()
    .toSorted((a, b) => (a.timeNs[0] as number) - (b.timeNs[0] as number)) as SampleTable[] as [
    SampleTable,
    SampleTable,
    SampleTable,
    SampleTable,
  ];
  expect(rowsOf(entered, ['id'])).toEqual(['raw_syscalls:sys_enter|3|77|3|202']);
  expect(rowsOf(futex, ['uaddr', 'op', 'val'])).toEqual(['syscalls:sys_enter_futex|0|77|3|4|128|-1']);
  expect(rowsOf(exit, ['ret'])).toEqual(['syscalls:sys_exit_futex|1|77|3|-110']);
  expect(rowsOf(switched, ['prev_comm', 'prev_state', 'next_comm', 'next_prio'])).toEqual([
    'sched:sched_switch|2|77|3|gr\u00fc\u00df = 1|R+|12|-51',
  ]);
});

describe('garbled samples are damage', () => {
  test.each([
    'sched:sched_switch: prev_comm=clerk1 prev_pid=97',
    'sched:sched_waking: comm=clerk1 pid=97 prio=1x0 target_cpu=003',
    'syscalls:sys_enter_futex: uaddr: 0x4, op: 0x00000080, val: 0x000',
    'syscalls:sys_exit_futex: 0x',
    'raw_syscalls:sys_enter: NR 0 (3, 7ffe1c02b2d0',
    'probe_libc:lock_slow: (7ffff7e5a1',
  ])('%s', (text) => {
    const { counts, damaged, samples } = parsed(`${branch(1)}${branch(2)}${sample(3, text)}${branch(4)}`);
    expect(counts).toMatchObject({ lines: 4, events: 3, damagedLines: 1 });
    expect(damaged).toMatchObject([{ line: 3, reason: expect.stringContaining('sample') }]);
    expect(samples.lines).toBe(0);
  });

  test('and so are those at impossible times or on impossible CPUs', () => {
    const waking = 'sched:sched_waking: comm=a pid=7 prio=120 target_cpu=003';
    const far = `77 [003] 999999999.000000000: ${waking}\n77 [-5] 100.000000003: ${waking}\n`;
    const { counts, samples } = parsed(`${branch(1)}${branch(2)}${far}${branch(4)}`);
    expect([counts.damagedLines, samples.lines]).toEqual([2, 0]);
  });
});
