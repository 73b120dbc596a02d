/**
 * Traces that mutations do not reach: many of one thing, each line as perf prints it.
 */
import type { Random } from '../random.js';

type Extreme = (count: number, random: Random) => string[];

const time = (index: number) => `1.${String(index).padStart(9, '0')}:`;
const hex = (address: number) => address.toString(16);

export const EXTREMES: Readonly<Record<string, Extreme>> = {
  'functions of one caller': (count) =>
    numbers(count).flatMap((index) => [
      `7 [000] ${time(2 * index)}   call   1000 main+0x0 => ${hex(0x5000 + 64 * index)} f${index}+0x0`,
      `7 [000] ${time(2 * index + 1)}   return   ${hex(0x5000 + 64 * index)} f${index}+0x0 => 1005 main+0x5`,
    ]),
  'open calls': (count) => {
    const deep = numbers(Math.min(count, 2000)); // the folded text grows with the square of the depth
    return deep.map((index) => `7 [000] ${time(index)}   call   1010 f+0x10 => 1000 f+0x0`);
  },
  'unseen callers': (count) => {
    const deep = numbers(Math.min(count, 1000));
    return deep.map((index) => {
      const [from, to] = [0x100000 - 256 * index, 0x100000 - 256 * (index + 1)].map(hex);
      return `7 [000] ${time(index)}   return   ${from} f${index}+0x0 => ${to} f${index + 1}+0x0`;
    });
  },
  threads: (count) =>
    numbers(count).map((index) => `${index + 1} [000] ${time(index)}   call   1000 main+0x0 => 2000 f+0x0`),
  CPUs: (count) =>
    numbers(count).map((index) => `7 [${index % 90_000}] ${time(index)}   call   1000 main+0x0 => 2000 f+0x0`),
  losses: (count) => numbers(count).flatMap((index) => [callOrReturn(index), errorLine(index)]),
  'flag words': (count) =>
    numbers(count).map((index) => `7 [000] ${time(index)}   word${index}   1000 main+0x0 => 2000 f+0x0`),
  'names of a thread': (count) =>
    numbers(count).flatMap((index) => [
      callOrReturn(index),
      `7 [000] ${time(index)} PERF_RECORD_COMM${index % 2 ? ' exec' : ''}: name ${index}:7/7`,
    ]),
  mappings: (count) =>
    numbers(count).flatMap((index) => [
      `7 [000] ${time(index)} PERF_RECORD_MMAP2 7/7: [0x${hex(index % 99)}000(0x${hex(index)}) @ 0 fe:00 1 0]: r-xp /f${index}`,
      `7 [000] ${time(index)} PERF_RECORD_FORK(${index + 2}:${index + 2}):(${index + 1}:${index + 1})`,
      callOrReturn(index),
      errorLine(index),
    ]),
  'fibers, each switching to the next': (count) =>
    numbers(count).flatMap((index) => [
      `7 [000] ${time(2 * index)}   call   ${hex(0x500010 + 256 * index)} g${index}+0x10 => 9000 swapcontext+0x0`,
      `7 [000] ${time(2 * index + 1)}   return   9030 swapcontext+0x30 => ${hex(0x500110 + 256 * index)} g${index + 1}+0x10`,
    ]),
  'steps back in time': (count, random) =>
    numbers(count).map(
      (index) => `7 [000] ${time(random.below(900_000_000))}   ${callOrReturn(index).slice(22).trimStart()}`,
    ),
  stops: (count) =>
    numbers(count).map((index) =>
      index % 2
        ? `7 [000] ${time(index)}   tr strt   0 [unknown] => ${hex(0x1000 + index)} main+0x${hex(index)}`
        : `7 [000] ${time(index)}   tr end  syscall   ${hex(0x1000 + index)} main+0x${hex(index)} => 0 [unknown]`,
    ),
};

function callOrReturn(index: number): string {
  const branch = index % 2 ? 'return   2008 f+0x8 => 1005 main+0x5' : 'call   1000 main+0x0 => 2000 f+0x0';
  return `7 [000] ${time(index)}   ${branch}`;
}

function errorLine(index: number): string {
  const at = `time ${time(index).slice(0, -1)} cpu 0 pid 7 tid 7 ip 0x${hex(index * 64)}`;
  return ` instruction trace error type 1 ${at} code ${5 + (index % 200)}: words ${index}`;
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
