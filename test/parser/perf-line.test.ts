/**
 * The reference parser: a line of `perf script` and what it means.
 */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BranchKind, TraceEdge } from '../../src/model/trace/branch-sites.js';
import type { PerfTime } from '../../src/model/trace/perf-time.js';
import type { SidebandRecord } from '../../src/model/trace/trace-chunk.js';
import { parseLocation } from '../../src/parser/lines/location.js';
import { NO_FLAGS, parsePerfLine } from '../../src/parser/lines/perf-line.js';
import type { PerfLine, Prefix } from '../../src/parser/lines/perf-line-types.js';

/** Describes a parsed line: `comm pid/tid [cpu] time Edge Kind: from -> to`; a dash is an absent column. */
function reading(line: string): string {
  return words(parsePerfLine(line));
}

function words(line: PerfLine): string {
  switch (line.type) {
    case 'branch':
      return `${prefixWords(line.prefix)} ${kindWords(line)}: ${line.from} -> ${line.to}`;
    case 'error':
      return `error ${line.code} ${line.pid}/${line.tid} cpu ${line.cpu} ip ${line.ip.toString(16)} at ${timeWords(line.time)}: ${line.message}`;
    case 'sideband':
      return `${prefixWords(line.prefix)} ${recordWords(line.record)}`;
    case 'sample':
      return `${prefixWords(line.prefix)} ${line.sample ? `${line.sample.event} ${line.sample.values.map(({ name, text, isText }) => `${name}=${isText ? JSON.stringify(text) : text}`).join(' ')}` : 'unnamed sample'}`;
    case 'damaged':
      return `damaged: ${line.reason}`;
    case 'other':
      return `sample of ${line.event ?? 'another event'}`;
    case 'ignored':
      return 'ignored';
  }
}

function recordWords(record: SidebandRecord): string {
  if (record.what !== 'mmap') return Object.values(record).join(' ');
  const { pid, start, length, file } = record;
  return `mmap ${pid} ${start.toString(16)}(${length.toString(16)}) ${file}`;
}

function prefixWords({ comm, pid, tid, cpu, time }: Prefix): string {
  return `${comm ?? '-'} ${pid ?? '-'}/${tid} [${cpu ?? '-'}] ${timeWords(time)}`;
}

function timeWords(time: PerfTime | null): string {
  return time === null ? '-' : `${time.seconds}.${String(time.ns).padStart(9, '0')}`;
}

function kindWords({ flags }: Extract<PerfLine, { type: 'branch' }>): string {
  const all = [keyOf(TraceEdge, flags.edge), keyOf(BranchKind, flags.kind)].filter((word) => word !== 'None');
  return all.join(' ') + (flags.unknown === null ? '' : ` (${flags.unknown})`);
}

function keyOf(table: Readonly<Record<string, number>>, code: number): string {
  return Object.keys(table).find((key) => table[key] === code) ?? `code ${code}`;
}

describe('parses the lines that ptflame makes perf print', () => {
  test.each([
    [
      '114078 [000] 858572.850211120:   call                            3b4ee4a mem_heap_block_free+0x1a =>          3b4eb80 mem_block_validate+0x0',
      '- -/114078 [0] 858572.850211120 Call: 3b4ee4a mem_heap_block_free+0x1a -> 3b4eb80 mem_block_validate+0x0',
    ],
    [
      '14820 [000]  1000.000005872:   tr end  syscall            7ffff7d30265 __GI___kill+0x5 =>                0 [unknown]',
      '- -/14820 [0] 1000.000005872 End Syscall: 7ffff7d30265 __GI___kill+0x5 -> 0 [unknown]',
    ],
    [
      '14820 [000]  1000.000000020:   tr strt                               0 [unknown] =>     7ffff7d2fcf0 __sigsetjmp+0x0',
      '- -/14820 [0] 1000.000000020 Begin: 0 [unknown] -> 7ffff7d2fcf0 __sigsetjmp+0x0',
    ],
    [
      '681400/681400 2065408.180095842:   hw int                   7faea66c0a6e _dl_map_object_from_fd+0xc4e => ffffffffae200ab0 asm_exc_page_fault+0x0',
      '- 681400/681400 [-] 2065408.180095842 Interrupt: 7faea66c0a6e _dl_map_object_from_fd+0xc4e -> ffffffffae200ab0 asm_exc_page_fault+0x0',
    ],
  ])('%s', (line, expected) => {
    expect(reading(line)).toBe(expected);
  });
});

describe('parses the columns before the event, printed or not', () => {
  test.each([
    ['tid alone', '14820', '- -/14820 [-] -'],
    ['a short tid', '    7', '- -/7 [-] -'],
    ['a tid as wide as perf 6.12 prints it', '  14820', '- -/14820 [-] -'],
    ['pid and tid', '14820/14821', '- 14820/14821 [-] -'],
    ['pid and tid, padded', '  482/483  ', '- 482/483 [-] -'],
    ['seven digits', '1234567/1234568', '- 1234567/1234568 [-] -'],
    ['no thread known', '   -1/-1   ', '- -1/-1 [-] -'],
    ['cpu', '14820 [003]', '- -/14820 [3] -'],
    ['a cpu of four digits', '14820 [1023]', '- -/14820 [1023] -'],
    ['no cpu known', '14820 [-01]', '- -/14820 [-1] -'],
    ['time', '14820 [000]  1000.000001946:', '- -/14820 [0] 1000.000001946'],
    ['microseconds', '14820 [000]  1000.000001:', '- -/14820 [0] 1000.000001000'],
    ['a time just after boot', '14820 [000]     0.000000000:', '- -/14820 [0] 0.000000000'],
    ['a time after years', '14820 [000] 123456789.000000001:', '- -/14820 [0] 123456789.000000001'],
    ['time without cpu', '15223  1000.000590442:', '- -/15223 [-] 1000.000590442'],
    ['misc', '14820 [000] U       1000.000001946:', '- -/14820 [0] 1000.000001946'],
    ['misc of two letters', '14820 [000] Sp      1000.000001946:', '- -/14820 [0] 1000.000001946'],
    ['misc without time', '14820 [000] U     ', '- -/14820 [0] -'],
    ['time of day', '14820 [000] 2024-05-17 10:11:12.123456789  1000.000001946:', '- -/14820 [0] 1000.000001946'],
    ['comm', '            demo 14820', 'demo -/14820 [-] -'],
    [
      'comm, ids, cpu and time',
      '            demo 14820/14820 [000]  1000.000001946:',
      'demo 14820/14820 [0] 1000.000001946',
    ],
    ['comm unpadded, as with call chains', 'demo 14820  1000.000001946:', 'demo -/14820 [-] 1000.000001946'],
    ['a thread without a known name', '          :14820 14820  1000.000001946:', ':14820 -/14820 [-] 1000.000001946'],
    ['a guest', 'VM:  123 VCPU:001             demo 14820 [000]  1000.000001946:', 'demo -/14820 [0] 1000.000001946'],
    ['a guest of five digits', 'VM:48123 VCPU:001 14820 [000]  1000.000001946:', '- -/14820 [0] 1000.000001946'],
  ])('%s', (_, columns, expected) => {
    const rest = '  call                     401163 main+0xa3 =>   401260 leaf+0x0';
    expect(reading(`${columns} ${rest}`)).toBe(`${expected} Call: 401163 main+0xa3 -> 401260 leaf+0x0`);
  });

  test.each([
    'Web Content',
    'kworker/3:1-eve',
    'tokio-runtime-w',
    '12',
    '12 34',
    'a 12/34',
    '1/2',
    '12 [003]',
    '12 [003] 5',
    '[kthreadd]',
    '(sd-pam)',
    'a: b',
    '12 U',
    '12 2024-01-01',
    'a => 5 b',
    'tr end',
    'x  y',
    'ü€',
  ])('a comm of "%s"', (comm) => {
    for (const ids of ['14820', '14820/14821'])
      for (const cpu of ['', '[000] '])
        expect(
          reading(`${comm.padStart(16)} ${ids} ${cpu} 1000.000001946:   call   401163 main+0xa3 => 401260 leaf+0x0`),
        ).toBe(
          `${comm} ${ids.includes('/') ? ids : `-/${ids}`} [${cpu ? 0 : '-'}] 1000.000001946 Call: 401163 main+0xa3 -> 401260 leaf+0x0`,
        );
  });
});

describe('parses period, event and flags', () => {
  test.each([
    ['flags alone', '  call                 '],
    ['an event', '         branches:uH:   call                 '],
    ['an event without modifiers', ' branches:   call                 '],
    ['an event of a newer perf', '  branches:u:   call                 '],
    ['an event of a hybrid CPU', '  cpu_core/branches/ukp:   call                 '],
    ['an event with terms', '  branches/period=50,name=x/u:   call                 '],
    ['period and event', '          1          branches:uH:   call                 '],
    ['period alone', '          1   call                 '],
    ['as wide as in old versions', '                            1   branches:uH:   call                           '],
    ['a name indented by call depth', '  call                              leaf                            '],
    [
      'an indented name that could be an address',
      '  call                              add                             ',
    ],
    ['an indented name with blanks', '  call                              a::operator bool                '],
    ['an indented address', '  call                                        401260                '],
    ['a name indented far', `  call                  ${' '.repeat(600)}leaf          `],
  ])('%s', (_, columns) => {
    expect(reading(`14820 [000]  1000.000000001:${columns}           401163 main+0xa3 => 401260 leaf+0x0`)).toBe(
      '- -/14820 [0] 1000.000000001 Call: 401163 main+0xa3 -> 401260 leaf+0x0',
    );
    expect(reading(`14820 [000] ${columns}           401163 main+0xa3 => 401260 leaf+0x0`)).toBe(
      '- -/14820 [0] - Call: 401163 main+0xa3 -> 401260 leaf+0x0',
    );
  });
});

const LONG_NAME = `Store<${'std::pair<std::basic_string<char>, int>, '.repeat(36)}int>::find`;

describe('parses the two ends of the branch', () => {
  test.each([
    ['no symbols', '4010d9', '4012d0'],
    ['no offsets', '4010d9 main', '4012d0 tail_caller'],
    ['no offsets, and a name that could be an address', '4010d9 add', '4012d0 fade'],
    ['unknown symbols', '7ffff7fac83a [unknown]', '7ffff7fac750 [unknown]'],
    ['files', '4010d9 main+0x19 (/opt/lab/demo)', '4012d0 f+0x0 (/opt/lab/demo)'],
    ['files with blanks, and deleted', '4010d9 main+0x19 (/opt/my lab/demo (deleted))', '4012d0 f+0x0 (a b.so)'],
    ['files and offsets in them', '4010d9 main+0x19 (/opt/lab/demo+0x10d9)', '4012d0 f+0x0 (/opt/lab/demo+0x12d0)'],
    ['unknown files', '0 [unknown] ([unknown])', '7f0683e0 [unknown] ([vdso])'],
    ['files, no symbols', '4010d9 (/opt/lab/demo)', '4012d0 (/opt/lab/demo)'],
    ['files, no offsets', '4010d9 main (/opt/lab/demo)', '4012d0 S::operator() (/opt/lab/demo)'],
    ['kernel', 'ffffffff81a00010 asm_common_interrupt+0x10', 'ffffffff81a01310 error_entry+0x0'],
    ['an offset modulo 2^64', '7f6fce0b71f4 [unknown] (foo.so)', '7ffd193838e0 memcpy@plt+0xffffffffff22f000 (foo.so)'],
    ['arrows in names', '401163 <T as Fn<(A, B)>>::call => x+0x3', '401260 operator=>+0x0'],
    ['arrows before an address in names', '401163 a => 5 b+0x3', '401260 c => 6 d+0x0'],
    ['and with files', '401163 a => 5 b+0x3 (/opt/x)', '401260 c => 6 (d)+0x0 (/opt/x)'],
    ['names that are arrows', '56234f77576b x => +0xb (foo.so)', '56234f4bc7a0 => +0x0 (foo.so)'],
    ['a file with an arrow', '401163 main+0x3 (/opt/a => b)', '401260 leaf+0x0 (/opt/a => b)'],
    ['plus signs in names', '56234f77576b + +0xb', '56234f4bc7a0 a+0x1f+0x0'],
    [
      'parentheses in names',
      '401163 std::function<int (int) const>::operator()+0x1',
      '401260 (anonymous namespace)::f+0x0',
    ],
    ['semicolons and markup in names', '401163 a;b+0x1', '401260 </script>+0x0'],
    ['lambdas and operators', '401163 main::{lambda(int)#1}::_FUN+0x1', '401260 a::operator bool+0x0'],
    ['UTF-8', '401163 \xc3\xbc::\xe2\x82\xac+0x1', '401260 caf\xc3\xa9+0x0'],
    ['names like a record of perf', '401163 PERF_RECORD_SAMPLE::f+0x1', '401260 a PERF_RECORD_X: 1000.000000001: +0x0'],
    ['names like the columns after them', '401163 a insn: 48+0x1', '401260 b ilen: 3 insn: c+0x0'],
    ['names like another event', '401163 psb offs: +0x1', '401260 IP: 1+0x0'],
    ['names like a source line', '401163 LazyCompile:~run app.js:12+0x1', '401260 Builtin:f:1+0x0'],
    ['control characters in names', '401163 x\x1b[31m\ty+0x1', '401260 x\x1b[31m\ty+0x0'],
    ['very long names', `401163 ${LONG_NAME}+0x1`, `401260 ${LONG_NAME}+0x0`],
  ])('%s', (_, from, to) => {
    expect(reading(`14820 [000]  1000.000000001:   call  ${from.padStart(16)} => ${to.padStart(16)}`)).toBe(
      `- -/14820 [0] 1000.000000001 Call: ${from} -> ${to}`,
    );
  });
});

describe('drops columns after the target', () => {
  test.each([
    ['cycles', ' \t IPC: 0.53 (27/50) '],
    ['instruction', ' ilen: 3 insn: 48 89 e5'],
    ['instruction of perf 6.12', ' insn: 48 89 e5'],
    ['the longest instruction', ` ilen: 15 insn:${' 66'.repeat(15)}`],
    ['length of the instruction', ' ilen: 3'],
    ['disassembly alone', '\t\tmov %rsp, %rbp'],
    ['disassembly', ' insn: 48 89 e5 \t\tmov %rsp, %rbp'],
    ['cycles and instruction', ' \t IPC: 0.53 (27/50)  ilen: 3 insn: 48 89 e5'],
    ['blanks', '          '],
  ])('%s', (_, tail) => {
    for (const to of ['401260 leaf+0x0', '401260', '401260 [unknown]', '401260 leaf+0x0 (/opt/demo)'])
      expect(reading(`14820 [000]  1000.000000001:   call  401163 main+0x3 => ${to}${tail}`)).toBe(
        `- -/14820 [0] 1000.000000001 Call: 401163 main+0x3 -> ${to}`,
      );
  });
});

test('distinguishes samples from source lines, which begin with two blanks, too', () => {
  const before = '  12345 [001] 1.000000001: ';
  expect(reading(`${before}sched:sched_waking: teller:7 [120] success=1 CPU:003`)).toContain('sched:sched_waking');
  expect(reading(`${before}probe:f: (401000) at=main.c:12`)).toContain('probe:f');
});

describe('ignores lines with nothing to replay', () => {
  test.each([
    ['an empty line', ''],
    ['blanks', '     '],
    ['a header', '# cmdline : /usr/bin/perf record -e intel_pt//u demo'],
    ['a source line', '  dl-lookup.c:118'],
    ['a source line with a path', '  /usr/src/a b/x.c:7'],
    ['an unknown source line', '  libc.so.6[29d90]'],
    ['a source line with the instruction', '  dl-lookup.c:118 ilen: 3 insn: 48 89 e5'],
    ['a frame of a call chain', '\t    7f5c0c875c60 _dl_open+0x0 (/usr/lib64/ld-2.28.so)'],
    ['an inlined frame', '\t          4008de main (inlined)'],
    ['a frame with an arrow in its name', '\t          4008de a+0x0 => 5 b+0x1'],
  ])('%s', (_, line) => {
    expect(reading(line)).toBe('ignored');
  });
});

describe('ignores other events that perf synthesizes, with or without their name, with stale flags', () => {
  test.each([
    ['psb', ' psb offs: 0x4be8 '],
    ['psb', ' psb offs: 0 '],
    ['cbr', ' cbr: 46 freq: 4606 MHz (159%) '],
    ['cbr', ' cbr:  8 freq:  801 MHz ( 28%) '],
    ['ptwrite', ' IP: 1 payload: 0x123456789abcdef0 '],
    ['mwait', ' hints: 0x60 extensions: 0x1 '],
    ['pwre', ' hw: 0 cstate: 2 sub-cstate: 0 '],
    ['exstop', ' IP: 1 '],
    ['pwrx', ' deepest cstate: 2 last cstate: 2 wake reason: 0x4 '],
    ['evt', ' cfe: INTR IP: 1 vector: 32 PFA: 0x7f00 '],
    ['iflag', ' IFLAG: 1->0 via branch '],
  ])('%s:%s', (event, payload) => {
    for (const name of ['', `${event}: `, `         1    ${event}: `])
      for (const flags of ['                      ', '  syscall             ', '  tr end              '])
        for (const end of [
          '0                0 [unknown]',
          '0 [unknown] ([unknown])',
          '0     7f06 mmap64+0x50 (/a b.so)',
        ])
          expect(reading(`14820 [000]  1000.000000020: ${name}${flags}${payload.padEnd(35)} ${end}`)).toBe('ignored');
  });
});

describe("parses perf's errors", () => {
  test.each([
    [
      'perf 5.1 and later',
      ' instruction trace error type 1 time 47170.086912826 cpu -1 pid 293415 tid 293416 ip 0x7ffff7327730 code 7: Overflow packet',
      'error 7 293415/293416 cpu -1 ip 7ffff7327730 at 47170.086912826: Overflow packet',
    ],
    [
      'perf before 5.1: no time',
      ' instruction trace error type 1 cpu -1 pid 293415 tid 293415 ip 0x7ffff7327730 code 7: Overflow packet',
      'error 7 293415/293415 cpu -1 ip 7ffff7327730 at -: Overflow packet',
    ],
    [
      'an unknown time',
      " instruction trace error type 1 time 0 cpu 3 pid 14820 tid 14820 ip 0x401260 code 6: Trace doesn't match instruction",
      "error 6 14820/14820 cpu 3 ip 401260 at -: Trace doesn't match instruction",
    ],
    [
      'an address of 0',
      ' instruction trace error type 1 time 2651115.104731379 cpu 12 pid 1801680 tid 1801680 ip 0 code 8: Lost trace data',
      'error 8 1801680/1801680 cpu 12 ip NaN at 2651115.104731379: Lost trace data',
    ],
    [
      'an address in the kernel, and a colon in the text',
      ' instruction trace error type 1 time 4.830210719 cpu -1 pid 1 tid 1 ip 0xffffffffb0999ed5 code 10: Never-ending loop (refer: max-loops)',
      'error 10 1/1 cpu -1 ip -4f66612b at 4.830210719: Never-ending loop (refer: max-loops)',
    ],
    [
      'no thread known',
      ' instruction trace error type 1 time 1000.000000066 cpu 0 pid -1 tid -1 ip 0 code 5: Failed to get instruction',
      'error 5 -1/-1 cpu 0 ip NaN at 1000.000000066: Failed to get instruction',
    ],
    [
      'a guest',
      ' instruction trace error type 1 time 1000.000000092 machine_pid 4711 vcpu 2 cpu 3 pid 14820 tid 14820 ip 0 code 7: Overflow packet',
      'error 7 14820/14820 cpu 3 ip NaN at 1000.000000092: Overflow packet',
    ],
    [
      'an address of 16 zeros',
      ' instruction trace error type 1 time 0 cpu 0 pid 1 tid 1 ip 0x0000000000000000 code 5: Failed to get instruction',
      'error 5 1/1 cpu 0 ip NaN at -: Failed to get instruction',
    ],
    [
      'the highest address',
      ' instruction trace error type 1 time 0 cpu 0 pid 1 tid 1 ip 0xffffffffffffffff code 5: Failed to get instruction',
      'error 5 1/1 cpu 0 ip -1 at -: Failed to get instruction',
    ],
    [
      'an address of 17 digits',
      ` instruction trace error type 1 time 0 cpu 0 pid 1 tid 1 ip 0x1${'0'.repeat(16)} code 5: Failed to get instruction`,
      'error 5 1/1 cpu 0 ip NaN at -: Failed to get instruction',
    ],
    ['cut', ' instruction trace error type 1 time 1000.000000092 cpu 3 pid 148', 'damaged: an unreadable error line'],
  ])('%s', (_, line, expected) => {
    expect(reading(line)).toBe(expected);
  });
});

describe('parses records of the kernel', () => {
  test.each([
    ['a switch', 'SWITCH OUT        ', 'switch out'],
    ['a preemption', 'SWITCH OUT preempt', 'switch preempted'],
    ['a switch back', 'SWITCH IN         ', 'switch in'],
    ['a switch, recorded CPU-wide', 'SWITCH_CPU_WIDE OUT          next pid/tid:  1234/1234 ', 'switch out'],
    ['a preemption, recorded CPU-wide', 'SWITCH_CPU_WIDE OUT preempt  next pid/tid:     0/0    ', 'switch preempted'],
    ['a switch back, recorded CPU-wide', 'SWITCH_CPU_WIDE IN           prev pid/tid:     0/0    ', 'switch in'],
    ['a new program', 'COMM exec: demo:15223/15224', 'comm true demo 15223 15224'],
    ['a new name', 'COMM: a: b/2:15223/15224', 'comm false a: b/2 15223 15224'],
    ['a new thread', 'FORK(15223:15236):(15222:15224)', 'fork 15223 15236 15222 15224'],
    ['the end of a thread', 'EXIT(15223:15236):(15223:15223)', 'exit 15223 15236'],
    [
      'a mapping',
      'MMAP2 1/2: [0x401000(0x1000) @ 0x1000 fe:00 2277498 0]: r-xp /opt/lab/demo',
      'mmap 1 401000(1000) /opt/lab/demo',
    ],
    [
      'a mapping with a build id',
      'MMAP2 1518114/1518114: [0x55d5329f8000(0x43000) @ 0x16000 <818137d5a9e8f63162a02db27e7cfd9855cd726d>]: r-xp /usr/bin/x',
      'mmap 1518114 55d5329f8000(43000) /usr/bin/x',
    ],
    ['a mapping without a file', 'MMAP2 1/1: [0x7f00(0x10) @ 0 00:00 0 0]: rwxp //anon', 'mmap 1 7f00(10) //anon'],
    [
      'a mapping of old perf',
      'MMAP 7/7: [0x7f0ea2d93000(0x1000) @ 0]: x /tmp/a.so',
      'mmap 7 7f0ea2d93000(1000) /tmp/a.so',
    ],
    [
      'the kernel',
      'MMAP -1/0: [0xffffffff81000000(0x1209988) @ 0xffffffff81000000]: x [kernel.kallsyms]_text',
      'mmap -1 -7f000000(1209988) [kernel.kallsyms]_text',
    ],
    ['a mapping of data', 'MMAP 7/7: [0(0) @ 0]: r /tmp/data', 'mmap 7 0(0) /tmp/data'],
    [
      'a file name with blanks and brackets',
      'MMAP2 1/1: [0x1000(0x10) @ 0 fe:00 1 0]: r-xp /opt/my lab/a]: r-xp b (deleted)',
      'mmap 1 1000(10) /opt/my lab/a]: r-xp b (deleted)',
    ],
    [
      'a file name with control characters',
      'MMAP2 1/1: [0x1000(0x10) @ 0 fe:00 1 0]: r-xp /\x1b[31m\t\u0085\r\xff',
      'mmap 1 1000(10) /\x1b[31m\t\u0085\r\xff',
    ],
    ['a mapping without its file', 'MMAP2 1/1: [0x1000(0x10) @ 0 fe:00 1 0]: r-xp ', 'other'],
    ['a mapping that is cut off', 'MMAP2 1/1: [0x1000(0x1', 'other'],
    ['a mapping with a garbled address', 'MMAP2 1/1: [0x10g0(0x10) @ 0 fe:00 1 0]: r-xp /a', 'other'],
    [
      'a mapping with an address of 17 digits',
      `MMAP2 1/1: [0x1${'0'.repeat(16)}(0x10) @ 0 fe:00 1 0]: r-xp /a`,
      'other',
    ],
    ['a mapping with unknown permissions', 'MMAP2 1/1: [0x1000(0x10) @ 0 fe:00 1 0]: r-xq /a', 'other'],
    ['a file name that is too long', `MMAP2 1/1: [0x1000(0x10) @ 0 fe:00 1 0]: r-xp /${'a'.repeat(4096)}`, 'other'],
    ['a loss', 'LOST lost 17', 'other'],
    ['a start', 'ITRACE_START pid: 15223 tid: 15223', 'other'],
    ['a namespace', 'NAMESPACES 1/1 - nr_namespaces: 7', 'other'],
  ])('%s', (_, record, expected) => {
    expect(reading(`14820 [001]  1000.000019627: PERF_RECORD_${record}`)).toBe(
      `- -/14820 [1] 1000.000019627 ${expected}`,
    );
    expect(reading(`            demo 14820/14820 [001] PERF_RECORD_${record}`)).toBe(
      `demo 14820/14820 [1] - ${expected}`,
    );
    expect(reading(`         swapper    -1/0     0.000000000: PERF_RECORD_${record}`)).toBe(
      `swapper -1/0 [-] 0.000000000 ${expected}`,
    );
  });
});

describe('tells samples of other events from damaged lines', () => {
  const AT = ' 5000/5001  [000] 12345.678906618:';
  test.each([
    ['without a name', `${AT}                                        0           4017a6 take+0x3d (/opt/a b/threads)`],
    ['without symbols', `${AT}                                        0           4017a6`],
    ['without offsets', `${AT}                                        0           4017a6 operator new (/opt/threads)`],
    ['unknown code', `${AT}                                        0           4017a6 [unknown] ([unknown])`],
    ['the address of data', `${AT}   7f00001000 table+0x10 (/opt/threads)   4017a6 take+0x3d (/opt/threads)`],
    [
      'a call chain in the next lines',
      `threads  5000/5001  [000] 12345.678906618:       1000                        0`,
    ],
    ['with a period', `${AT}       1000                       0           4017a6 take+0x3d (/opt/threads)`],
    ['with a large period', `${AT} 12345678901234                 0           4017a6 take+0x3d (/opt/threads)`],
  ])('%s', (_, line) => expect(reading(line)).toBe('sample of another event'));

  test.each([
    ['cycles:u', `${AT}       1000       cycles:u:                   0           4017a6 take+0x3d (/opt/threads)`],
    ['cpu/mem-loads,ldlat=30/P', `${AT} cpu/mem-loads,ldlat=30/P:       7f00001000   4017a6 take+0x3d (/opt/threads)`],
    ['instructions', `${AT}       1000   instructions: `],
    ['cycles:u', '825432/825432 339457.445933440:       1 cycles:u: '],
    [
      'cache-misses/period=50/u',
      '3871580/3871580 430720.265503976:         50                   cache-misses/period=50/u:                                      0     7fca9945c595 __sleep+0x55 (/usr/lib64/libc-2.28.so)',
    ],
    [
      'cpu-clock',
      '            bash 10240  1301.828061456:     250000 cpu-clock:      7f05fed3f645 handle_amd+0x25 (/usr/lib/ld.so)',
    ],
    [
      'branches:u',
      '            bash 10240 [000]  1301.828061456:     250000 branches:u:      7f05fed3f645 handle_amd+0x25',
    ],
  ])('named %s', (event, line) => expect(reading(line)).toBe(`sample of ${event}`));

  test.each([
    ['a branch cut before its target', `${AT}   call                           4017a6 take+0x3d (/opt/threads)`],
    ['the same without flags', `${AT}                                  4017a6 take+0x3d (/opt/threads)`],
    ['cut in the arrow', `${AT}                                  4017a6 take+0x3d (/opt/threads) =`],
    ['words', `${AT}                                  bad reason+0x1d 7f in (/opt/threads`],
  ])('not %s', (_, line) => expect(reading(line)).toMatch(/^damaged/));
});

test('parses 24 forms of lines recorded on hardware', () => {
  const file = new URL('../../fixtures/hardware/one-line-shapes.txt', import.meta.url);
  const types = readFileSync(file, 'latin1')
    .trimEnd()
    .split('\n')
    .map((line) => parsePerfLine(line).type);
  const run = (type: string, count: number) => Array<string>(count).fill(type);
  expect(types).toEqual([
    ...run('branch', 12),
    ...run('error', 4),
    ...run('ignored', 4),
    ...run('other', 2),
    ...run('branch', 2),
  ]);
});

describe('reports why a line is damaged', () => {
  const NO_TARGET = 'no " => ADDRESS" (a cut line, or perf script without +addr)';
  const NO_ORIGIN = 'a branch without an origin address';
  test.each([
    ['other text', 'Warning:', 'not a line of perf script'],
    ['binary', '\x00\x01\x02PERF', 'not a line of perf script'],
    ['cut before the arrow', '14820 [000]  1000.000000001:   call    401163 main+0xa3', NO_TARGET],
    ['cut in the arrow', '14820 [000]  1000.000000001:   call    401163 main+0xa3 =', NO_TARGET],
    ['cut before the target', '14820 [000]  1000.000000001:   call    401163 main+0xa3 => ', NO_TARGET],
    ['cut, with an event', '14820 [000]  1000.000000001: 1 branches:uH:   tr end  async  401163 main+0xa', NO_TARGET],
    ['an indented name and no addresses', '14820 [000]  1000.000001946:   call       tail_caller    ', NO_TARGET],
    [
      'no flags',
      '            demo 14820 [000]  1000.000001946: 1 branches:uH:     4010d9 main+0x19 => 4012d0 f+0x0',
      NO_FLAGS,
    ],
    ['no flags, no event', '14820  1000.000001946: 401063 main+0x19 => 4012d0 f+0x0', NO_FLAGS],
    ['no thread', 'call 4010d9 main+0x19 => 4012d0 f+0x0', 'a branch without a thread id'],
    [
      'an impossible thread id',
      '14820123456 1.000000001: call 4a main+0x19 => 50 f+0x0',
      'a branch without a thread id',
    ],
    ['a garbled address', '14820  1000.000001946: call 40x0d9 main+0x19 => 4012d0 f+0x0', NO_ORIGIN],
    ['an address too long', '14820  1000.000001946: call 40108930849038409 main+0x19 => 4012d0 f+0x0', NO_ORIGIN],
    ['a garbled time', '14820 [000]  1000.00000x946:   call 40108 main+0x19 => 4012d0 f+0x0', NO_ORIGIN],
    ['a time without its dot', '14820 [000]  1000:000001946:   call 40108 main+0x19 => 4012d0 f+0x0', NO_ORIGIN],
    [
      'a time with a letter before it',
      '14820 [000]  x000.000001946:   call 40108 main+0x19 => 4012d0 f+0x0',
      NO_ORIGIN,
    ],
    ['cut after the CPU', '  14820 [000]', NO_TARGET],
    ['a record without a thread', 'PERF_RECORD_SWITCH IN', 'not a line of perf script'],
  ])('%s', (_, line, reason) => {
    expect(parsePerfLine(line)).toEqual({ type: 'damaged', reason });
  });
});

const NAME_PIECES = [
  'a|f0|caf\xc3\xa9|operator|call|tr end|[unknown]|PERF_RECORD_COMM|@plt|::|<|>|(|)| (|()|{lambda(int)#1}|[|]|x\ty|\x1b',
  ' | => |=>| => 5 | 401000 |->|+|+0x|+0x1f|0x|;|:|: |/|"|&|-|~|%| insn: 48| ilen: 3|IP: 1|a.c:7',
].flatMap((pieces) => pieces.split('|'));
/** Such a name cannot be distinguished from the end of one location and the beginning of the next. */
const LOOKS_LIKE_TWO_ENDS = /(?:\+0x[0-9a-f]+|\[unknown\]|\)) => +[0-9a-f]{1,16} /;
const nastyName = fc
  .array(fc.constantFrom(...NAME_PIECES), { minLength: 1, maxLength: 12 })
  .map((pieces) => pieces.join('').trim())
  .filter((name) => name !== '' && !LOOKS_LIKE_TWO_ENDS.test(name));

const address = fc.oneof(fc.bigInt(1n, 2n ** 47n), fc.bigInt(2n ** 64n - 2n ** 47n, 2n ** 64n - 1n));
const end = fc.record({ address, name: nastyName, offset: fc.integer({ min: 0, max: 2 ** 24 }) });
const file = fc.constantFrom(
  '/opt/lab/demo',
  '/opt/a b/c.so',
  '/tmp/x (deleted)',
  '[vdso]',
  'foo.so',
  '/opt/(x)/+0x/y',
);
const dsos = fc.option(fc.tuple(file, file));

const COMM_PIECES = 'a|12|7/8|:|[003]| |-1|(x)|=>| => 5 |U|#|call|+0x1|\xc3\xa9'.split('|');
const nastyComm = fc
  .array(fc.constantFrom(...COMM_PIECES), { minLength: 1, maxLength: 6 })
  .map((pieces) => pieces.join('').slice(0, 15).trim())
  .filter((comm) => comm !== '');

const tid = fc.integer({ min: 1, max: 4_194_304 });
const fraction = fc.integer({ min: 0, max: 999_999_999 });
const seconds = fc.integer({ min: 0, max: 999_999_999 });
const FLAGS = {
  call: 'Call',
  'return             ()': 'Return',
  'jcc              (xD)': 'Jump',
  'jcc/miss/': 'Jump',
  'tr strt': 'Begin',
  'tr strt jmp': 'Begin Jump',
  'tr end': 'End',
  'tr end  hw int': 'End Interrupt',
  'tr end  async     (D)': 'End Async',
  'tr strt tr end': 'BeginAndEnd',
  'tx abrt': 'TxAbort',
  bcos: 'Call',
  'raw flags:0x3': 'Call',
} as const;

/** Without a time the end of a nasty comm is ambiguous, so then it is a simple one. */
const timing = fc.oneof(
  fc.record({
    time: fc.record({ seconds, ns: fraction }),
    comm: fc.option(nastyComm),
    misc: fc.constantFrom('', 'U      ', 'K      '),
    tod: fc.constantFrom('', '2024-05-17 10:11:12.123456789 '),
  }),
  fc.record({
    time: fc.constant(null),
    comm: fc.option(fc.constant('demo')),
    misc: fc.constantFrom('', 'U      '),
    tod: fc.constant(''),
  }),
);
const branch = fc.record({
  timing,
  guest: fc.constantFrom('', 'VM:  123 VCPU:001 '),
  pid: fc.option(tid),
  tid,
  cpu: fc.option(fc.integer({ min: -1, max: 4000 })),
  period: fc.constantFrom('', '         1 '),
  event: fc.constantFrom('', ' branches:uH: ', '         branches:u: ', 'branches: '),
  flags: fc.constantFrom(...(Object.keys(FLAGS) as (keyof typeof FLAGS)[])),
  from: end,
  to: end,
  dsos,
  tail: fc.constantFrom('', ' \t IPC: 0.53 (27/50) ', ' ilen: 3 insn: 48 89 e5', ' insn: 48 89 e5 \t\tmov %rsp, %rbp'),
});
type Generated = typeof branch extends fc.Arbitrary<infer Made> ? Made : never;

/** Prints a branch like perf's format strings. */
function print({ timing, guest, pid, tid, cpu, period, event, flags, from, to, dsos, tail }: Generated): string {
  const { comm, misc, tod, time } = timing;
  return [
    guest,
    comm === null ? '' : `${comm.padStart(16)} `,
    pid === null ? `${String(tid).padStart(7)} ` : `${String(pid).padStart(7)}/${String(tid).padEnd(7)} `,
    cpu === null ? '' : `[${cpu === -1 ? '-01' : String(cpu).padStart(3, '0')}] `,
    misc,
    tod,
    time === null ? '' : `${String(time.seconds).padStart(5)}.${String(time.ns).padStart(9, '0')}: `,
    `${period}${event}  ${flags.padEnd(21)} `,
    `${printEnd(from, dsos?.[0])} => ${printEnd(to, dsos?.[1])}${tail}`,
  ].join('');
}

function printEnd({ address, name, offset }: Generated['from'], dso: string | undefined): string {
  const symbol = `${address.toString(16).padStart(16)} ${name}+0x${offset.toString(16)}`;
  return dso === undefined ? symbol : `${symbol} (${dso})`;
}

test('parses a branch line to exactly what it was generated from, whatever its columns and names', () => {
  fc.assert(
    fc.property(branch, (made) => {
      const line = parsePerfLine(print(made));
      if (line.type !== 'branch') throw new Error(`${line.type}: ${print(made)}`);
      const { pid, tid, cpu, timing, flags, from, to, dsos } = made;
      expect(line.prefix).toEqual({ comm: timing.comm, pid, tid, cpu, time: timing.time });
      expect(kindWords(line)).toBe(FLAGS[flags]);
      expect(parseLocation(line.from)).toEqual(locationOf(from, dsos?.[0]));
      expect(parseLocation(line.to)).toEqual(locationOf(to, dsos?.[1]));
    }),
    { numRuns: 2000 },
  );
});

function locationOf({ address, name, offset }: Generated['from'], dso: string | undefined) {
  return { address: Number(BigInt.asIntN(64, address)), name, offset, dso: dso ?? null, fileOffset: Number.NaN };
}

const TYPES = ['branch', 'error', 'sideband', 'sample', 'other', 'ignored', 'damaged'];

test('gives any bytes one of the five types of lines', () => {
  const bytes = fc.uint8Array({ maxLength: 200 }).map((all) => Buffer.from(all).toString('latin1'));
  const pieces = [
    ...NAME_PIECES,
    ...Object.keys(FLAGS),
    '14820 ',
    '[000] ',
    '1000.000000001: ',
    ' => ',
    '401000 ',
    '\r',
  ];
  const spliced = fc.array(fc.constantFrom(...pieces), { maxLength: 30 }).map((all) => all.join(''));
  fc.assert(
    fc.property(fc.oneof(bytes, spliced), (line) => {
      expect(TYPES).toContain(parsePerfLine(line).type);
    }),
    { numRuns: 1000 },
  );
});

test('survives an error or a mapping with a garbled byte, or cut off anywhere', () => {
  const whole = fc.constantFrom(
    ' instruction trace error type 1 time 1.000000001 cpu 3 pid 5 tid 6 ip 0xffffffffb0999ed5 code 7: Overflow packet',
    '5 [000] 1.000000001: PERF_RECORD_MMAP2 5/6: [0x401000(0x1000) @ 0 fe:00 2277498 0]: r-xp /opt/lab/demo',
    '5 [000] 1.000000001: PERF_RECORD_MMAP -1/0: [0xffffffff81000000(0x9) @ 0xffffffff81000000]: x [kernel]_text',
  );
  const byte = fc.constantFrom(...'0f-/:[]()x @ \t\xff\0', '');
  fc.assert(
    fc.property(whole, fc.nat(120), byte, fc.boolean(), (line, at, garbled, isCut) => {
      const parsed = parsePerfLine(line.slice(0, at) + garbled + (isCut ? '' : line.slice(at + 1)));
      expect(TYPES).toContain(parsed.type);
      if (parsed.type !== 'sideband' || parsed.record.what !== 'mmap') return;
      const { pid, start, length } = parsed.record;
      expect([pid, start, length].every(Number.isFinite)).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

/**
 * Each of these once made a regular expression backtrack over the whole line; then the default timeout fails the test.
 */
test('parses no line of 60 KB slowly', () => {
  const units = [
    ...['1', 'f', 'a', 'A ', '1 ', '1/1 ', '[1] ', ' 1.', '1:1', ' ', '\t', '\r', '/', ':', 'a: ', '(', ')', '(x) '],
    ...[' => 0 ', 'a => 1 ', '1 => 1', 'x) => 0 ', '+0x1 (a) => 1 ', '0x', '+0x', '+0x1', '+0x1 (', ' 0 (', ' (/'],
    ...[
      '[unknown] (',
      'tr end ',
      'call ',
      ' insn: ',
      ' ilen: ',
      'cbr: ',
      'PERF_RECORD_ ',
      ' PERF_RECORD_COMM a:1',
      ']: r-xp ',
      'comm=a pid=1 prio=1 ',
      'a="b ',
      ' x: 0x1,',
      '               0',
      ' 401000 [unknown]',
    ],
  ];
  const head = '14820 [000]  1000.000000020:   ';
  const frames = [
    ...[
      ['  a:1', ''],
      ['  a:1', '\r'],
    ],
    ...[
      ['', ''],
      ['1', 'x'],
      ['a 1 ', 'x'],
      ['  a', ''],
      ['  a', ':5x'],
      ['demo', ' 5 [0] 1.000000: call 40 a+0x1 => 0 '],
    ],
    ...[
      [head, ' => 0 '],
      [`${head}1`, 'Q => 0 x'],
      [`${head}call `, 'Q => 0 x'],
      [`${head}tr end`, 'Q => 0 x'],
    ],
    ...[
      [`${head}branches:`, 'Q'],
      [`${head}prev_comm=a prev_pid=1 prev_prio=1 prev_state=S ==> next_comm=`, ' next_pid=x'],
      [`${head}sched:sched_waking: `, ' target_cpu=x'],
      [`${head}syscalls:sys_enter_read: `, 'x'],
      [`${head}probe_a:b: (401000) `, 'x'],
      [`${head}a=1 `, '"'],
      [`${head}call 401 a+0x1`, 'Q => 0 x'],
      [`${head}call 401 a+0x1 => 5 a`, 'insn: x'],
    ],
    ...[
      [' instruction trace error type 1', ''],
      ['5 1.000000: PERF_RECORD_COMM', 'x'],
      ['5 1.000000: PERF_RECORD_MMAP2 5/5: [0x1(0x1) @ ', 'x'],
      ['VM:', 'x'],
    ],
  ] as [string, string][];
  for (const [before, after] of frames)
    for (const unit of units) {
      const parsed = parsePerfLine(before + unit.repeat(60_000 / unit.length) + after);
      expect(TYPES).toContain(parsed.type);
      if (parsed.type === 'branch') for (const end of [parsed.from, parsed.to]) parseLocation(end);
    }
});

describe('rejects values that no machine has', () => {
  const FROM_TO = 'call 401000 main+0x0 => 402000 work+0x0';
  test.each([
    ['7 [-2] 1.000000001: call 401000 main+0x0 => 402000 work+0x0', 'an impossible CPU number'],
    [`-2 [000] 1.000000001: ${FROM_TO}`, 'a thread or process id that no kernel assigns'],
    [`-2/7 [000] 1.000000001: ${FROM_TO}`, 'a thread or process id that no kernel assigns'],
    ['7 [000] 1.000000001: PERF_RECORD_COMM: x:7/4294967295', 'a thread or process id that no kernel assigns'],
    [
      '7 [000] 1.000000001: PERF_RECORD_FORK(18446744073709551616:1):(1:1)',
      'a thread or process id that no kernel assigns',
    ],
    ['7 [000] 1.000000001: PERF_RECORD_EXIT(7:2147483648):(7:7)', 'a thread or process id that no kernel assigns'],
    [
      ' instruction trace error type 1 time 1.000000001 cpu -3 pid 1 tid 1 ip 0 code 7: Overflow',
      'an impossible CPU number',
    ],
    ['7 [000] 1.000000001: call 4010000000000000 main+0x0 => 402000 work+0x0', 'an address that no program has'],
    [
      '7 [000] 1.000000001:   call                       401000 main+0x0 => 8000000000402000 work+0x0',
      'an address that no program has',
    ],
  ])('%s', (line, reason) => {
    expect(parsePerfLine(line)).toEqual({ type: 'damaged', reason });
  });

  test.each([
    '-1/7 [-01] 1.000000001: call ffffffff81000000 entry+0x0 => 402000 work+0x0',
    '7 [000] 1.000000001: PERF_RECORD_EXIT(-1:2147483647):(7:7)',
    ' instruction trace error type 1 cpu -1 pid -1 tid -1 ip 0 code 7: Overflow',
  ])('accepts %s', (line) => {
    expect(parsePerfLine(line).type).not.toBe('damaged');
  });
});
