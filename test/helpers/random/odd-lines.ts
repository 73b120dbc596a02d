/**
 * Random lines, as perf may print them and as it never would: with and without file, name, process, CPU and time; ids
 * that no kernel assigns; distant times; errors and records among the branches.
 */
import fc from 'fast-check';

interface OddFunction {
  readonly name: string;
  readonly start: number;
  readonly file: string;
}

/** Two functions with the same name in two files; a stub and its target; a function that the compiler split. */
const FUNCTIONS: readonly OddFunction[] = [
  { name: 'main', start: 0x401000, file: '/opt/demo' },
  { name: 'work', start: 0x401100, file: '/opt/demo' },
  { name: 'work', start: 0x7f0000001100, file: '/lib/libc.so.6' },
  { name: 'work.cold', start: 0x401f00, file: '/opt/demo' },
  { name: 'pthread_mutex_lock@plt', start: 0x401200, file: '/opt/demo' },
  { name: 'pthread_mutex_lock@@GLIBC_2.2.5', start: 0x7f0000002000, file: '/lib/libc.so.6' },
  { name: 'swapcontext', start: 0x7f0000003000, file: '/lib/libc.so.6' },
  { name: '_Unwind_Resume', start: 0x7f0000004000, file: '/lib/libgcc_s.so.1' },
  { name: '[unknown]', start: 0x7fff00001000, file: '//anon' },
  { name: 'sys_read', start: -0x7effc00, file: '[kernel.kallsyms]' },
];

const end = fc.record({
  fn: fc.constantFrom(...FUNCTIONS),
  offset: fc.constantFrom(0, 0, 0x10, 0x15, 0x20, 0x25, 0x30),
  hasOffset: fc.integer({ min: 0, max: 9 }).map((value) => value > 0),
  file: fc.constantFrom('none', 'none', 'own', 'own', '=1+1', 'deleted'),
});
type End = typeof end extends fc.Arbitrary<infer Value> ? Value : never;

function textOfEnd({ fn, offset, hasOffset, file }: End): string {
  const address = BigInt.asUintN(64, BigInt(fn.start + offset)).toString(16);
  const isNamed = fn.name !== '[unknown]';
  const symbol = isNamed && hasOffset ? `${fn.name}+0x${offset.toString(16)}` : fn.name;
  const files = { none: '', own: ` (${fn.file})`, '=1+1': ' (=1+1)', deleted: ` (${fn.file} (deleted))` };
  return `${address} ${symbol}${files[file]}`;
}

const branch = fc
  .record({
    flags: fc.constantFrom(
      'call',
      'call',
      'call',
      'return',
      'return',
      'return',
      'jmp',
      'syscall',
      'tr strt tr end',
      'tx abrt',
    ),
    from: end,
    to: end,
  })
  .map(({ flags, from, to }) => `${flags}   ${textOfEnd(from)} => ${textOfEnd(to)}`);
const stop = end.map((from) => `tr end  syscall ${textOfEnd(from)} => 0 [unknown]`);
const start = end.map((to) => `tr strt   0 [unknown] => ${textOfEnd(to)}`);

/** Mostly threads 1 to 3; sometimes an id that no kernel assigns, as in a garbled line. */
const id = fc.oneof(
  { weight: 30, arbitrary: fc.integer({ min: 1, max: 3 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('-1', '-2', '0', '2147483647', '2147483648', '4294967295', '18446744073709551616'),
  },
);
const record = fc
  .tuple(
    fc.constantFrom(
      'SWITCH OUT',
      'SWITCH OUT preempt',
      'SWITCH IN',
      'COMM exec: other:A/B',
      'COMM: other:A/B',
      'EXIT(A:B):(A:B)',
      'FORK(A:B):(C:D)',
      'MMAP2 A/B: [0x401000(0x2000) @ 0 08:01 5 0]: r-xp /opt/demo',
      'MMAP A/B: [0xffffffff81000000(0xffffffffffffffff) @ 0]: x [kernel.kallsyms]_text',
    ),
    fc.array(id, { minLength: 4, maxLength: 4 }),
  )
  .map(
    ([form, ids]) =>
      `PERF_RECORD_${'ABCD'.split('').reduce((text, letter, at) => text.replaceAll(new RegExp(`\\b${letter}\\b`, 'g'), String(ids[at])), form)}`,
  );

const line = fc.record({
  comm: fc.constantFrom('', '', '', 'demo ', 'a 7/8 b '),
  pid: fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: id }),
  tid: id,
  cpu: fc.constantFrom('', '[000] ', '[000] ', '[001] ', '[002] ', '[-01] ', '[-2] ', '[99999] '),
  seconds: fc.constantFrom(1, 1, 1, 1, 1, 1, 2, 5000, 4_503_599, 4_503_600, 9_999_999_999),
  ns: fc.oneof(fc.nat(999_999_999), fc.integer({ min: 500, max: 900 })),
  hasTime: fc.integer({ min: 0, max: 19 }).map((value) => value > 0),
  body: fc.oneof(
    { weight: 12, arbitrary: branch },
    { weight: 2, arbitrary: stop },
    { weight: 2, arbitrary: start },
    { weight: 4, arbitrary: record },
    { weight: 2, arbitrary: fc.constantFrom('ERROR', 'garbage') },
  ),
});

/** A line and its newline. */
export const oddLine: fc.Arbitrary<string> = line.map(({ comm, pid, tid, cpu, seconds, ns, hasTime, body }) => {
  const time = `${seconds}.${String(ns).padStart(9, '0')}`;
  if (body === 'ERROR')
    return ` instruction trace error type 1${hasTime ? ` time ${time}` : ''} cpu 0 pid ${pid ?? -1} tid ${tid} ip 0x401110 code 7: Overflow packet\n`;
  return `${comm}${pid === null ? '' : `${pid}/`}${tid} ${cpu}${hasTime ? `${time}: ` : ''}${body}\n`;
});
