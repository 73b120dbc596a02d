/**
 * The line reader against the reference parser: both must read every line to the same result.
 */
import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BRANCH_COLUMNS, Branch, End, unpackFlags } from '../../src/parser/known-branches.js';
import { LINE_COLUMNS, Line, LineReader, lineText, type ReadLines, runsIn } from '../../src/parser/line-reader.js';
import { NOT_PRINTED } from '../../src/parser/lines/line-prefix.js';
import { knownFile, parseLocation } from '../../src/parser/lines/location.js';
import { parsePerfLine } from '../../src/parser/lines/perf-line.js';
import type { PerfLine } from '../../src/parser/lines/perf-line-types.js';
import { edgeOf } from '../../src/parser/lines/perf-line-types.js';
import { OTHER, TEXT_PADDING } from '../../src/parser/wasm/layout.js';
import { times } from '../helpers/random/times.js';
import { fixture } from '../helpers/traces/load.js';

const FOLDERS = ['lab', 'hardware', 'constructed', 'damaged'];
const fixtures = FOLDERS.flatMap((folder) =>
  readdirSync(new URL(`../../fixtures/${folder}`, import.meta.url)).map((name) => `${folder}/${name}`),
);
const SAMPLES = ['waits', 'waitlab.proc', 'waitlab.wake', 'group-commit', 'values', 'breakpoints.hits'];

class CheckedReader {
  private readonly reader: LineReader;
  /** How many ends of branches the module parsed. */
  parsedEnds = 0;

  constructor(reader = new LineReader()) {
    this.reader = reader;
  }

  /** Compares each line with the reference parser. Returns how many were read as simple branches. */
  expectAsReference(bytes: Uint8Array): number {
    return this.expectRead(bytes, this.reader.read(bytes));
  }

  /** Likewise, with the text at the end of this buffer. */
  expectAtEndOf(buffer: Uint8Array, bytes: Uint8Array): void {
    const from = buffer.length - bytes.length;
    this.reader.reserve(buffer.length).set(bytes, from);
    this.expectRead(bytes, this.reader.readReserved(from, buffer.length));
  }

  private expectRead(bytes: Uint8Array, lines: ReadLines): number {
    this.reader.branches.update();
    const starts = lineStarts(bytes);
    expect(Array.from({ length: lines.length }, (_, row) => lines.rows[row * LINE_COLUMNS + Line.Start])).toEqual(
      starts,
    );
    let other = 0;
    starts.forEach((start, row) => {
      const expected = parsePerfLine(lineText(bytes, start, bytes.indexOf(10, start)));
      if (lines.rows[row * LINE_COLUMNS + Line.Branch] === OTHER) {
        expect(lines.otherRows[other]).toBe(row);
        expect(lines.others[other++]).toEqual(expected);
      } else expect(this.lineAt(lines, row * LINE_COLUMNS)).toEqual(simple(expected));
    });
    return lines.length - other;
  }

  private lineAt({ rows, heads }: ReadLines, at: number) {
    const branches = this.reader.branches.rows;
    const branch = BRANCH_COLUMNS * rows[at + Line.Branch];
    return {
      ...heads[rows[at + Line.Head]],
      ns: rows[at + Line.Ns],
      ...unpackFlags(branches[branch + Branch.Flags]),
      from: this.location(branches, branch + Branch.From),
      to: this.location(branches, branch + Branch.To),
    };
  }

  private location(rows: Float64Array, at: number) {
    const { branches } = this.reader;
    const symbol = rows[at + End.Symbol];
    if (symbol < 0) return location(branches.text('texts', ~symbol));
    this.parsedEnds++;
    const file = rows[at + End.File];
    const dso = knownFile(file < 0 ? null : branches.text('files', file));
    return {
      address: rows[at + End.Address],
      name: branches.text('symbols', symbol),
      dso,
      start: rows[at + End.Start],
    };
  }
}

function location(text: string) {
  const { address, name, offset, dso } = parseLocation(text);
  return { address, name, dso, start: address - offset };
}

function simple(line: PerfLine) {
  if (line.type !== 'branch' || line.flags.unknown !== null || line.flags.notTaken) return line;
  const { prefix, flags, from, to } = line;
  const { comm, tid, pid, cpu, time } = prefix;
  const numbers = { comm, tid, pid: pid ?? NOT_PRINTED, cpu: cpu ?? NOT_PRINTED, seconds: time?.seconds, ns: time?.ns };
  return { ...numbers, kind: flags.kind, edge: edgeOf(flags.kind, flags.edge), from: location(from), to: location(to) };
}

function lineStarts(bytes: Uint8Array): number[] {
  const starts: number[] = [];
  for (let start = 0; start < bytes.length; start = bytes.indexOf(10, start) + 1) starts.push(start);
  return starts;
}

function wholeLines(name: string): Uint8Array {
  const bytes = fixture(name);
  return new Uint8Array(bytes.subarray(0, bytes.lastIndexOf(10) + 1));
}

/** The lines as perf prints them with the names of threads. */
function withNames(name: string): Buffer {
  const text = Buffer.from(wholeLines(name)).toString('latin1');
  return Buffer.from(
    text.replace(/^ *(\d+) (?=\[)/gm, (_, tid) => `${'some name'.padStart(16)} ${tid.padStart(7)} `),
    'latin1',
  );
}

describe('reads every line like the reference parser, when it is new and when it is known', () => {
  test.each([...fixtures, ...SAMPLES.map((name) => `waits/${name}.txt.gz`)])('%s', (name) => {
    const reader = new CheckedReader();
    const bytes = wholeLines(name);
    const read = reader.expectAsReference(bytes);
    expect(reader.expectAsReference(bytes)).toBe(read);
  });
});

test('reads any text after any usual prefix like the reference parser', () => {
  const text = fc.constantFrom(
    ' PERF_RECORD_SWITCH OUT',
    'PERF_RECORD_SWITCH OUT preempt',
    'x PERF_RECORD_SWITCH IN',
    'syscalls:sys_exit_futex: 0x1',
    '  syscalls:sys_exit_futex: 0x1\r',
    '0x1',
    'sched:sched_waking: teller:7 [120] success=1 CPU:003',
    'sched:sched_waking: comm=a => 401000 f+0x0 pid=7 prio=120 target_cpu=003',
    'probe:f: (401000) at=main.c:12',
    'probe:f: (401000) name="a => 7" number=0xffffffffffffffff',
    'sched:sched_waking: comm=cut pid',
    'cycles:u: ',
    '118',
    '  call                       401163 main+0xa3 =>           401260 leaf+0x0',
  );
  const head = fc.constantFrom(
    '  12345 [001] ',
    ' 7/8 [002] ',
    '9 ',
    '  999999999 ',
    '    5 [99999] ',
    ' 7/0 [002] ',
    '0 ',
    // names of threads, and what only looks like one
    '          server    4711 [003] ',
    '          server    4711/4712    [003] ',
    '    Chrome Worker      12 [001] ',
    'kworker/3:1H-events   77 [003] ',
    ' 7zip 5 [001] ',
    ' a1 5 [001] ',
    ' x -1 5 [001] ',
    ' x 1 2 [001] ',
    ' x 12:3 4 ',
    ' :5 5 ',
    ' VM: 5 [001] ',
    'VM:5 VCPU:1 name 5 [001] ',
    ' a=b 5 [001] ',
    ' comm=a 5 [001] ',
    ' a => 401000 5 [001] ',
    '#a 5 [001] ',
    ' n\u00e9 5 [001] ',
    ' a\tb 5 [001] ',
    ' instruction trace error 5 [001] ',
    `${'n'.repeat(64)} 5 [001] `,
    `${'n'.repeat(65)} 5 [001] `,
  );
  const time = fc.constantFrom(
    '1.000000001: ',
    '1.123456:',
    '1.12345678: ',
    '1.1234567:',
    '1.000000002:',
    '1.000001: ',
    '999999999.999999999: ',
  );
  const lines = fc.array(fc.tuple(head, time, text), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(lines, (lines) => {
      new CheckedReader().expectAsReference(Buffer.from(`${lines.map((parts) => parts.join('')).join('\n')}\n`));
    }),
  );
});

test('parses most lines of an ordinary trace in the module', () => {
  const reader = new CheckedReader();
  const bytes = wholeLines('lab/demo-cre.txt');
  expect(reader.expectAsReference(bytes) / lineStarts(bytes).length).toBeGreaterThan(0.9);
  expect(reader.parsedEnds / lineStarts(bytes).length).toBeGreaterThan(1.8);
});

test('parses most lines in the module where they name the thread', () => {
  const reader = new CheckedReader();
  const bytes = withNames('lab/demo-cre.txt');
  const [lines, seconds] = [lineStarts(bytes).length, 40];
  const all = Buffer.concat(
    Array.from({ length: seconds }, (_, at) =>
      Buffer.from(bytes.toString('latin1').replaceAll(' 1000.', ` ${1000 + at}.`), 'latin1'),
    ),
  );
  expect(reader.expectAsReference(all) / (lines * seconds)).toBeGreaterThan(0.9);
});

test.each([
  ['without names', (name: string) => Buffer.from(wholeLines(name))],
  ['with names', withNames],
])('notices every byte that differs, %s', (_, linesOf) => {
  const bytes = linesOf('lab/demo-be.txt').subarray(0, 12_000);
  const whole = bytes.subarray(0, bytes.lastIndexOf(10) + 1);
  const flip = fc.record({ at: fc.nat(whole.length - 1), byte: fc.constantFrom(0, 32, 48, 57, 97, 128, 255, 61, 62) });
  fc.assert(
    fc.property(fc.array(flip, { minLength: 1, maxLength: 8 }), (flips) => {
      const reader = new CheckedReader();
      reader.expectAsReference(whole);
      const changed = whole.slice();
      for (const { at, byte } of flips) if (changed[at] !== 10) changed[at] = byte;
      reader.expectAsReference(changed);
      reader.expectAsReference(whole);
    }),
    { numRuns: times(100) },
  );
});

const USUAL =
  '114078 [003] 858572.850211120:   call                       401163 main+0xa3 =>           401260 leaf+0x0';

test('parses a usual line in the module', () => {
  const reader = new CheckedReader();
  reader.expectAsReference(Buffer.from(`${USUAL}\n`));
  expect(reader.parsedEnds).toBe(2);
});

describe('reads lines that are almost usual', () => {
  test.each([
    '\t IPC: 0.53 (27/50) ',
    ' ilen: 3 insn: 48 89 e5',
    ' insn: e8 11',
    ' insn: f+0x0',
    ' ilen: f+0x0',
    '\t\tmov %rsp, %rbp',
    '\tmov f+0x0',
    ' ',
    '  ',
    '\r',
    ' (/opt/demo)',
    ' PERF_RECORD_SWITCH OUT',
    ' => 401270 other+0x0',
  ])('after the target: "%s"', (tail) => expectAsReference(USUAL + tail));

  test.each([
    '0',
    '401260',
    '401260 ',
    '401260  leaf+0x0',
    '401260 [unknown]',
    '401260 leaf',
    '401260 +0x0',
    '401260 leaf+0x',
    '401260 leaf+0x0g',
    '401260 leaf+0xA',
    '401260 leaf+0xffffff',
    '401260 leaf+0x1000000',
    '401260 leaf+0x1000001',
    '401260 leaf+0xffffffffffffff00',
    '401260 f+0x0',
    '401260 leaf+0x0 (/opt/demo)',
    '401260 leaf+0x0 (/opt/a file (deleted))',
    '401260 leaf+0x0 (/opt/x+0x1 (y))',
    '401260 leaf+0x0 (/opt/x+0x1 (lib))',
    '401260 leaf+0x0 (/opt/[unknown] (y))',
    '401260 leaf+0x0 (/opt/demo+0x1260)',
    '401260 leaf+0x0 (/opt/demo+0x)',
    '401260 leaf+0x0 ([unknown])',
    '401260 leaf+0x0 (inlined)',
    '401260 leaf+0x0 ()',
    '401260 leaf+0x0 (/opt/demo))',
    '401260 leaf+0x0  (/opt/demo)',
    '401260 leaf+0x0(/opt/demo)',
    '401260 leaf+0x0g (/opt/demo)',
    '401260 leaf (/opt/demo)',
    '401260 (/opt/demo)',
    '401260 [unknown] (/opt/demo)',
    '401260 [unknown] (/opt/demo+0x1260)',
    '401260 f(int)+0x0 (/opt/demo)',
    '401260 leaf+0xffffffffffffff00 (/opt/demo)',
    '401260 leaf+0x0 (/opt/\xc3\xafve)',
    '401260 operator+0x1f+0x2',
    '401260 a b => c+0x0',
    '401260 \xa0leaf+0x0',
    '401260 na\xc3\xafve+0x0',
    '4012g0 leaf+0x0',
    'ABCDEF leaf+0x0',
    '7fffffffffffff leaf+0x10',
    '1fffffffffffff leaf+0x1',
    'ffffffff81000123 do_syscall_64+0x23',
    'ffffffffffffffff leaf+0x0',
    '8000000000000000 leaf+0x0',
    '18000000000000000 leaf+0x0',
    '0000000000401260 leaf+0x0',
  ])('an end of the branch: "%s"', (end) => {
    expectAsReference(USUAL.replace('401260 leaf+0x0', end));
    expectAsReference(USUAL.replace('401163 main+0xa3', end));
  });

  test.each([
    'tr end  call',
    'tr end',
    'tr strt',
    'hw int',
    'hw  int',
    'callx',
    'cal',
    'int',
    'tr strt tr end',
    'call (x)',
  ])('flags: "%s"', (flags) => {
    expectAsReference(USUAL.replace('call   ', `${flags}   `));
    expectAsReference(USUAL.replace('call   ', `${flags} `));
  });

  test('longer than the module accepts', () => {
    for (const length of [16_300, 16_370, 16_384, 16_400, 40_000])
      expectAsReference(USUAL.replace('leaf', 'x'.repeat(length)));
  });

  function expectAsReference(line: string): void {
    const reader = new CheckedReader();
    const bytes = Buffer.from(`${line}\n`.repeat(2), 'latin1');
    reader.expectAsReference(bytes);
    reader.expectAsReference(bytes);
  }
});

test('parses a usual line with files in the module', () => {
  const reader = new CheckedReader();
  const line = USUAL.replace(' =>', ' (/opt/lab/demo) =>');
  reader.expectAsReference(
    Buffer.from(`${line} (/usr/lib/a file (deleted))\n${line} (/opt/lab/demo)\n${line} (/opt/lab)\n`),
  );
  expect(reader.parsedEnds).toBe(6);
});

test('distinguishes names that are prefixes of others, and names of one letter', () => {
  const names = ['f', 'g', 'fo', 'foo', 'foo+0x1', 'foo+0x1+0x2', 'foobar', 'foobar+0x3', 'f+0x1'];
  const lines = names.flatMap((from) => names.map((to) => USUAL.replace('main', from).replace('leaf', to)));
  new CheckedReader().expectAsReference(Buffer.from(`${lines.join('\n')}\n`));
});

test('reads any two ends like the reference parser', () => {
  const hex = fc
    .tuple(fc.bigInt(0n, 2n ** 68n), fc.nat(67))
    .map(([bits, fewer]) => (bits >> BigInt(fewer)).toString(16));
  const letter = fc.constantFrom('a', 'b', '+', ' ', '0', 'x');
  const name = fc.oneof(fc.string({ unit: letter, minLength: 1, maxLength: 12 }), fc.constantFrom('main', '[unknown]'));
  const file = fc.oneof(
    fc.constantFrom('', '', ' (/opt/demo)', ' ([unknown])', ' (/opt/demo+0x1260)'),
    fc.string({ unit: fc.constantFrom('a', '(', ')', ' ', '+0x', '1', '[unknown]') }).map((text) => ` (${text})`),
  );
  const end = fc
    .tuple(hex, name, hex, file)
    .map(([address, symbol, offset, file]) => `${address} ${symbol}+0x${offset}${file}`);
  const branch = fc
    .tuple(end, end)
    .map(([from, to]) => `114078 [003] 858572.850211120:   call                ${from} =>      ${to}\n`);
  fc.assert(
    fc.property(fc.array(branch, { minLength: 1, maxLength: 30 }), (lines) => {
      new CheckedReader().expectAsReference(Buffer.from(lines.join('')));
    }),
    { numRuns: times(600) },
  );
});

test('blank lines, wherever they are', () => {
  const text = fixture('lab/demo-be.txt').toString('latin1');
  const spaced = text.replaceAll('\n', '\n\n\n').replace(/^/, '\n\n');
  const bytes = Buffer.from(spaced, 'latin1');
  const branches = new CheckedReader().expectAsReference(bytes);
  expect(branches).toBe(new CheckedReader().expectAsReference(Buffer.from(text, 'latin1')));
});

describe('tails of every length', () => {
  const line = (length: number) => USUAL.replace('leaf', 'x'.repeat(length));

  test.each([...Array(34).keys()].map((more) => 1 + more))('every byte of it differs: %s more', (more) => {
    const usual = line(more);
    const flipped = [...usual].map(
      (byte, at) => `${usual.slice(0, at)}${byte === 'y' ? 'z' : 'y'}${usual.slice(at + 1)}`,
    );
    const bytes = Buffer.from(`${[usual, ...flipped, usual].join('\n')}\n`);
    const reader = new CheckedReader();
    expect(reader.expectAsReference(bytes)).toBe(reader.expectAsReference(bytes));
  });

  test('shorter than any that is kept', () => {
    const bytes = Buffer.from('7 [003] 1.000000001: call 1 a+0x0 => 2 b+0x0\n'.repeat(3));
    expect(new CheckedReader().expectAsReference(bytes)).toBe(3);
  });
});

test('stops at unknown lines, however many known ones precede them', () => {
  const known = [USUAL, USUAL.replace('a3', 'a4'), USUAL.replace('[003]', '[004]')];
  const others = ['', '7 [003] 1.000000001: PERF_RECORD_SWITCH IN', `${USUAL} => 1 a+0x0`, USUAL.slice(0, 70), '# x'];
  const lines = fc.array(
    fc
      .tuple(fc.constantFrom(...known), fc.nat(70), fc.option(fc.constantFrom(...others)))
      .map(([line, times, other]) => [...Array<string>(times).fill(line), ...(other === null ? [] : [other])]),
    { minLength: 1, maxLength: 12 },
  );
  fc.assert(
    fc.property(lines, (lines) => {
      const reader = new CheckedReader();
      const bytes = Buffer.from(`${lines.flat().join('\n')}\n`);
      reader.expectAsReference(bytes);
      reader.expectAsReference(bytes);
    }),
    { numRuns: 40 },
  );
});

const PAGE = 65536;
/** How the module allocates: in whole lines of the cache; a buffer that grows gets some space to spare. */
const CACHE_LINE = 64;
const SPARE = 1024 + TEXT_PADDING;

/** Returns a buffer for text that ends, apart from the padding, where the memory does. */
function bufferAtEnd(reader: LineReader): Uint8Array {
  const first = reader.reserve(PAGE);
  const used = first.byteOffset + first.length + SPARE;
  const free = used + CACHE_LINE - 1 - ((used + CACHE_LINE - 1) % CACHE_LINE);
  const end = Math.max(free + 4 * PAGE - (free % PAGE), reader.memory.buffer.byteLength);
  reader.reserve(end - free - SPARE);
  const buffer = reader.reserve(end - free - TEXT_PADDING);
  expect(buffer.byteOffset + buffer.length + TEXT_PADDING).toBe(reader.memory.buffer.byteLength);
  return buffer;
}

test('reads no byte after its memory, wherever the last line is cut', () => {
  const lines = [USUAL, `          server ${USUAL}`, USUAL.replace('main', 'x'.repeat(300))];
  const pieces = lines.flatMap((line) =>
    Array.from({ length: line.length + 1 }, (_, length) => Buffer.from(`${line}\n${line.slice(0, length)}\n`)),
  );
  const reader = new LineReader();
  const checked = new CheckedReader(reader);
  for (const bytes of pieces) checked.expectAsReference(bytes);
  const buffer = bufferAtEnd(reader);
  for (const bytes of pieces) checked.expectAtEndOf(buffer, bytes);
  expect(reader.memory.buffer.byteLength).toBe(buffer.byteOffset + buffer.length + TEXT_PADDING);
});

test('groups the branches of each piece by thread and CPU', () => {
  const reader = new LineReader();
  const of = (tid: number, cpu: number, ns: number) =>
    USUAL.replace('114078 [003]', `${tid} [00${cpu}]`).replace('211120', `21112${ns}`);
  const runsOf = (...lines: readonly string[]) => {
    const { length } = reader.read(Buffer.from(`${lines.join('\n')}\n`));
    const branches = reader.group(length, 858_572);
    return branches && { runs: runsIn(branches), length: branches.events.length };
  };
  const run = { length: 4, events: 1, lastNs: 850_211_120 };
  const first = { ...run, tid: 7, cpu: 1, length: 6, events: 2, lastNs: 850_211_122, lastRow: 2 };
  const second = { ...run, tid: 8, cpu: 1, lastNs: 850_211_121, lastRow: 1 };
  expect(runsOf(of(7, 1, 0), of(8, 1, 1), of(7, 1, 2))).toEqual({ runs: [first, second], length: 10 });
  expect(runsOf(of(8, 2, 0))).toEqual({ runs: [{ ...run, tid: 8, cpu: 2, lastRow: 0 }], length: 4 });
});
