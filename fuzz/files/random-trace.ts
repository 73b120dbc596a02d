/**
 * Makes the text of a trace: lines whose fields come and go, with names, files and numbers of all kinds.
 */
import type { Random } from '../random.js';

const NAMES = ['main', 'f', 'g', 'operator new', 'a;b', '[unknown]', 'foo@plt', 'x => y', 'ns::t<int, 2>::run', '名'];
const FILES = ['', '', ' (/bin/a)', ' (/lib/b.so.1)', ' ([vdso])', ' (/tmp/x (deleted))', ' ([unknown])'];
const KINDS = ['call', 'call', 'call', 'return', 'return', 'return', 'jmp', 'syscall', 'hw int'];
const STOPS = ['tr end  syscall', 'tr end  async', 'tr end  call', 'tr end'];
const TIDS = ['1', '1', '2', '3', '3', '2147483647', '-1', '4294967295', '0'];
const CPUS = ['[000]', '[000]', '[001]', '[003]', '[-01]', '', '[65535]'];
const RECORDS = [
  'PERF_RECORD_SWITCH OUT',
  'PERF_RECORD_SWITCH OUT preempt',
  'PERF_RECORD_SWITCH IN',
  'PERF_RECORD_COMM exec: other:1/1',
  'PERF_RECORD_COMM: name:2/3',
  'PERF_RECORD_COMM: name:4294967295/-1',
  'PERF_RECORD_FORK(1:3):(1:1)',
  'PERF_RECORD_FORK(4294967295:2147483648):(1:1)',
  'PERF_RECORD_EXIT(1:2):(1:1)',
  'PERF_RECORD_MMAP2 1/1: [0x400000(0x1000) @ 0 fe:00 1 0]: r-xp /bin/a',
  'PERF_RECORD_LOST lost 3',
];

export function randomTrace(random: Random): Buffer {
  const hasTimes = !random.oneIn(12);
  let ns = random.below(2_000_000_000);
  const lines = Array.from({ length: 1 + random.below(random.pick([5, 60, 300])) }, () => {
    ns += random.oneIn(60) ? random.below(1_000_000_000) : random.below(300);
    const shownNs = random.oneIn(80) ? Math.max(0, ns - random.below(2000)) : ns;
    return lineOf(random, hasTimes ? timeOf(shownNs) : '');
  });
  return Buffer.from(`${lines.join('\n')}\n`);
}

function timeOf(ns: number): string {
  return `${Math.floor(ns / 1e9)}.${String(ns % 1e9).padStart(9, '0')}: `;
}

function lineOf(random: Random, time: string): string {
  const head = `${random.oneIn(10) ? 'name ' : ''}${random.pick(TIDS)} ${random.pick(CPUS)} ${time}`;
  if (random.oneIn(15)) return `${head}${random.pick(RECORDS)}`;
  if (random.oneIn(40))
    return ` instruction trace error type 1 time ${time.replace(': ', '') || '0'} cpu ${random.below(3)} pid 1 tid ${random.pick(TIDS)} ip 0x401000 code ${random.below(12)}: message`;
  if (random.oneIn(8)) return `${head}  ${random.pick(STOPS)}  ${locationOf(random)} => 0 [unknown]`;
  if (random.oneIn(8)) return `${head}  tr strt  0 [unknown] => ${locationOf(random)}`;
  return `${head}  ${random.pick(KINDS)}  ${locationOf(random)} => ${locationOf(random)}`;
}

/** Few addresses, so that returns match their calls. */
function locationOf(random: Random): string {
  const index = random.below(NAMES.length);
  const offset = random.pick([0, 0, 0x10, 0x15, 0x20, 0x25]);
  const address = (0x401000 + 0x1000 * index + offset).toString(16);
  const name = NAMES[index] as string;
  const file = random.pick(FILES);
  return name === '[unknown]' ? `${address} [unknown]${file}` : `${address} ${name}+0x${offset.toString(16)}${file}`;
}
