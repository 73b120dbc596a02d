/**
 * `npm run bench:scale`: how CPU time and memory grow with one size of the input while the others stay, and the exponents of
 * these curves. See docs/performance.md.
 */
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { PROGRAM } from '../candidates.js';
import { measure } from '../measure.js';
import { table } from '../report.js';

const FIXTURES = fileURLToPath(new URL('../../../fixtures/recordings/', import.meta.url));
const REPEAT = fileURLToPath(new URL('../decoder/repeat.js', import.meta.url));

interface Curve {
  readonly name: string;
  /** Each some times the one before. */
  readonly sizes: readonly number[];
  readonly flags: readonly string[];
  make(size: number, path: string): Promise<unknown>;
}

const CURVES: readonly Curve[] = [
  {
    name: 'processes of a recording, 14,000 events each',
    sizes: [250, 1000, 4000],
    flags: ['--symfs', join(FIXTURES, 'root')],
    make: (size, path) => measure([process.execPath, REPEAT, join(FIXTURES, 'loop-1.data'), `${size}`, path]),
  },
  {
    name: 'threads of 15 events',
    sizes: [6250, 25_000, 100_000],
    flags: [],
    make: (size, path) => written(path, threads(size)),
  },
  {
    name: 'call paths',
    sizes: [625_000, 2_500_000, 10_000_000],
    flags: ['--memory', '16G', '--max-folded', '0'],
    make: (size, path) => written(path, paths(size)),
  },
  {
    name: 'events of one thread',
    sizes: [1_250_000, 5_000_000, 20_000_000],
    flags: ['--memory', '256M'],
    make: (size, path) => written(path, oneThread(size)),
  },
];

const FUNCTIONS = 10;
const CODE = 0x400000;
const CODE_BYTES = 0x1000;
const CALL_BYTES = 5;

const place = (code: number, offset: number) =>
  `${(CODE + code * CODE_BYTES + offset).toString(16).padStart(16)} f${code}+0x${offset.toString(16)}`;
const time = (ns: number) => `${Math.floor(ns / 1e9)}.${String(ns % 1e9).padStart(9, '0')}`;
/** Function `code` calls `callee` at an offset of its own for each. */
const call = (tid: number, ns: number, code: number, callee: number) =>
  `${tid} [000] ${time(ns)}:   call ${place(code, 16 * (callee + 1))} => ${place(callee, 0)}\n`;
const back = (tid: number, ns: number, code: number, callee: number) =>
  `${tid} [000] ${time(ns)}:   return ${place(callee, 0x800)} => ${place(code, 16 * (callee + 1) + CALL_BYTES)}\n`;

function* threads(count: number): Generator<string> {
  let ns = 1e9;
  for (let tid = 1000; tid < 1000 + count; tid++) {
    yield `${tid} [000] ${time(ns++)}:   tr strt                0 [unknown] => ${place(0, 0)}\n`;
    for (let row = 0; row < 7; row++) {
      const callee = 1 + ((tid + row) % (FUNCTIONS - 1));
      yield call(tid, ns++, 0, callee) + back(tid, ns++, 0, callee);
    }
  }
}

/** A tree in which each function calls all of them: each call is a path of its own. */
function* paths(count: number): Generator<string> {
  const depth = Math.ceil(Math.log(count * (FUNCTIONS - 1) + 1) / Math.log(FUNCTIONS)) - 1;
  let [ns, made] = [1e9, 0];
  function* callsOf(code: number, level: number): Generator<string> {
    for (let callee = 0; callee < FUNCTIONS && made < count; callee++) {
      made++;
      yield call(1000, ns++, code, callee);
      if (level < depth) yield* callsOf(callee, level + 1);
      yield back(1000, ns++, code, callee);
    }
  }
  yield* callsOf(0, 1);
}

function* oneThread(events: number): Generator<string> {
  let ns = 1e9;
  for (let made = 0; made < events; made += 4) {
    const [outer, inner] = [1 + (made % 7), 1 + (made % 5)];
    yield call(1000, ns++, 0, outer) + call(1000, ns++, outer, inner);
    yield back(1000, ns++, outer, inner) + back(1000, ns++, 0, outer);
  }
}

async function written(path: string, lines: Iterable<string>): Promise<void> {
  const fd = openSync(path, 'w');
  let text = '';
  for (const line of lines) {
    text += line;
    if (text.length < 1 << 20) continue;
    writeSync(fd, text);
    text = '';
  }
  writeSync(fd, text);
  closeSync(fd);
}

/** The slope of a line through the logarithms, by least squares: 1 if twice as much takes twice as long. */
function exponent(sizes: readonly number[], costs: readonly number[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const centred = (values: readonly number[]) => {
    const logs = values.map(Math.log);
    return logs.map((log) => log - mean(logs));
  };
  const [x, y] = [centred(sizes), centred(costs)];
  return mean(x.map((value, row) => value * (y[row] as number))) / mean(x.map((value) => value ** 2));
}

const { values } = parseArgs({ options: { only: { type: 'string' }, scale: { type: 'string' } } });
const { only = '', scale = '1' } = values;
const directory = mkdtempSync(join(tmpdir(), 'ptflame-bench-'));
try {
  const rows: string[][] = [];
  for (const { name, sizes: full, flags, make } of CURVES.filter((curve) => curve.name.includes(only))) {
    const sizes = full.map((size) => Math.round(size * Number(scale)));
    const path = join(directory, 'trace');
    const costs = [];
    for (const size of sizes) {
      await make(size, path);
      const words = ['render', path, '-o', join(directory, 'x.folded'), '--quiet', ...flags];
      const { cpuSeconds, peakBytes } = await measure([process.execPath, PROGRAM, ...words]);
      rows.push([name, size.toLocaleString('en-US'), cpuSeconds.toFixed(1), (peakBytes / 1e6).toFixed(0), '', '']);
      costs.push({ cpuSeconds, peakBytes });
    }
    const of = (costsOf: readonly number[]) => exponent(sizes, costsOf).toFixed(2);
    rows.at(-1)?.splice(4, 2, of(costs.map((cost) => cost.cpuSeconds)), of(costs.map((cost) => cost.peakBytes)));
  }
  process.stdout.write(`${table(['what grows', 'to', 'CPU s', 'MB', 'exponent, CPU', 'memory'], rows)}\n`);
} finally {
  rmSync(directory, { recursive: true });
}
