/**
 * Makes a perf.data file with any records, and any numbers in them.
 */
import {
  auxtrace,
  auxtraceInfo,
  countedText,
  perfData,
  record,
  SAMPLE_TYPE,
  TRACE_NUMBERS,
  text,
  trailer,
  u32,
  u64,
} from '../../test/helpers/perf/perf-data.js';
import type { Random } from '../random.js';

const NAMES = ['server', '', '/bin/true', '/tmp/x (deleted)', '//anon', '[vdso]', '../../etc/passwd', '\x1b[2J', 'ünï'];
const NUMBERS = [0, 1, 7, 8, 99, 4096, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 40, 2 ** 53, -1, -2];
const OUT = 0x2000;

/** Features that contain a single text, by bit. */
const TEXT_FEATURES = [3, 4, 5, 6, 8];

type MakeRecord = (random: Random) => Buffer;
const number = (random: Random) => random.pick(NUMBERS);
const id = (random: Random) => (random.oneIn(4) ? number(random) : 1 + random.below(5));
const ids = (random: Random, count: number) => Array.from({ length: count }, () => u32(id(random)));
const name = (random: Random) => text(random.pick(NAMES));
const end = (random: Random) =>
  trailer({
    pid: id(random),
    tid: id(random),
    ns: random.oneIn(9) ? number(random) : random.below(1_000_000),
    cpu: random.oneIn(9) ? number(random) : random.below(4),
  });

const RECORDS: readonly MakeRecord[] = [
  (random) => record(3, random.pick([0, OUT]), ...ids(random, 2), name(random), end(random)),
  (random) => record(7, 0, ...ids(random, 4), u64(number(random)), end(random)),
  (random) => record(4, 0, ...ids(random, 4), u64(number(random)), end(random)),
  (random) => record(1, 0, ...ids(random, 2), ...mapping(random), name(random), end(random)),
  (random) =>
    record(
      10,
      random.pick([0, 1 << 14]),
      ...ids(random, 2),
      ...mapping(random),
      Buffer.alloc(32),
      name(random),
      end(random),
    ),
  (random) => record(2, 0, u64(number(random)), u64(number(random)), end(random)),
  (random) => record(14, random.pick([0, OUT]), end(random)),
  (random) => record(15, random.pick([0, OUT, OUT | 0x4000]), ...ids(random, 2), end(random)),
  (random) => record(11, 0, u64(number(random)), u64(number(random)), u64(random.below(16)), end(random)),
  (random) => record(12, 0, ...ids(random, 2), end(random)),
  (random) => auxtrace(random.below(300), { cpu: id(random), tid: id(random), offset: number(random) }),
  (random) => record(random.below(100), random.below(65536), Buffer.alloc(8 * random.below(20), random.below(256))),
];

function mapping(random: Random): Buffer[] {
  return [u64(number(random)), u64(number(random)), u64(number(random))];
}

export function randomRecording(random: Random): Buffer {
  const count = random.below(random.pick([1, 10, 100]) + 1);
  const records = Array.from({ length: count }, () => random.pick(RECORDS)(random));
  const hasTrace = !random.oneIn(6);
  return perfData({
    records: [...(hasTrace ? [info(random)] : []), ...records],
    attributes: Array.from({ length: 1 + random.below(3) }, (_, row) => ({
      ...(row === 0 || random.oneIn(2) ? {} : { type: random.below(9), config: random.below(2 ** 32) }),
      ...(random.oneIn(8) ? { sampleType: random.below(2 ** 20) } : { sampleType: SAMPLE_TYPE }),
      ids: Array.from({ length: random.below(3) }, () => number(random)),
    })),
    features: Object.fromEntries(
      TEXT_FEATURES.filter(() => random.oneIn(2)).map((bit) => [bit, countedText(random.pick(NAMES))]),
    ),
  });
}

function info(random: Random): Buffer {
  const numbers = TRACE_NUMBERS.map((usual) => (random.oneIn(10) ? number(random) : usual));
  return auxtraceInfo(numbers.slice(0, random.oneIn(8) ? random.below(numbers.length) : numbers.length));
}
