/**
 * `npm run bench:decoder -- RECORDING…`: measures the own decoder and perf on recordings, prints tables. See docs/performance.md.
 */
import { execFileSync } from 'node:child_process';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Candidate, PROGRAM } from '../candidates.js';
import { type Measured, measureRounds } from '../rounds.js';

const ALONE = fileURLToPath(new URL('./alone.js', import.meta.url));
const READER = fileURLToPath(new URL('./read.js', import.meta.url));
/** All others are compared with it: perf decodes, and prints errors only. */
const YARDSTICK = 'perf script --itrace=e';
const FIELDS = '-F-event,-period,+addr,-comm,+flags,+dso,+symoff';

interface DecoderBench {
  /** With the number of branches, if it is known: `big.data:62413532`. */
  readonly recordings: readonly string[];
  readonly runs: number;
  readonly jobs: readonly number[];
  /** In MiB; empty: the default. */
  readonly memory: string;
  /** The decoder alone, without perf and the program. */
  readonly alone: boolean;
  /** The command line of another version, such as the last release. */
  readonly against: string | null;
}

/** @throws Error for invalid arguments */
function readOptions(): DecoderBench {
  const { values, positionals } = parseArgs({
    options: {
      runs: { type: 'string' },
      jobs: { type: 'string' },
      memory: { type: 'string' },
      alone: { type: 'boolean' },
      against: { type: 'string' },
    },
    allowPositionals: true,
  });
  const { runs = '5', jobs = '1,2,4', memory = '', alone = false, against = null } = values;
  if (positionals.length === 0) throw new Error('which recordings?');
  return { recordings: positionals, runs: Number(runs), jobs: jobs.split(',').map(Number), memory, alone, against };
}

function candidatesFor(path: string, { jobs, memory, against }: DecoderBench): Candidate[] {
  const reading = jobs.map((count) => ({
    name: `read, -j ${count}`,
    command: [process.execPath, READER, path, `${count}`, memory || '0'],
    check: async (stdout: string) => {
      if (Number(stdout) === 0) throw new Error(`${path}: no events`);
    },
  }));
  const limit = memory === '' ? [] : ['--memory', `${memory}M`];
  const render = (decoder: string, count: number): Candidate => ({
    name: `render --decoder ${decoder} -j ${count}`,
    command: [PROGRAM, 'render', path, '--decoder', decoder, '-j', `${count}`, ...limit, '-q', '-o', '/dev/null'],
    check: async () => {},
  });
  const otherVersion = (count: number): Candidate => ({
    name: `render, other version, -j ${count}`,
    command: [`${against}`, 'render', path, '-j', `${count}`, ...limit, '-q', '-o', '/dev/null'],
    check: async () => {},
  });
  const perf = ['perf', 'script', '-i', path];
  return [
    { name: YARDSTICK, command: [...perf, '--itrace=e'], check: async () => {} },
    {
      name: 'perf script, text',
      command: ['sh', '-c', `perf script -i "$0" --itrace=cre --ns ${FIELDS} >/dev/null`, path],
      check: async () => {},
    },
    ...reading,
    ...jobs.map((count) => render('own', count)),
    render('perf', 1),
    ...(against === null ? [] : jobs.map(otherVersion)),
  ];
}

function table(branches: number, measured: readonly Measured[]): string {
  const yardstick = measured.find(({ name }) => name === YARDSTICK);
  const rows = measured.map(({ name, wallSeconds, cpuSeconds, peakBytes }) => {
    const ratio = yardstick === undefined ? Number.NaN : cpuSeconds / yardstick.cpuSeconds;
    const ns = branches > 0 ? ((cpuSeconds / branches) * 1e9).toFixed(1) : '';
    const numbers = [wallSeconds.toFixed(2), cpuSeconds.toFixed(2), ratio.toFixed(2), ns, (peakBytes / 1e6).toFixed(0)];
    return `| ${[name, ...numbers].join(' | ')} |`;
  });
  return [
    '| | wall s | CPU s | × yardstick | ns a branch | peak MB |',
    '| --- | --: | --: | --: | --: | --: |',
    ...rows,
  ].join('\n');
}

/** The least of some runs: what other programs do on the machine only adds to it. */
function alone(path: string, branches: number, runs: number): string {
  const rounds = Array.from(
    { length: runs },
    () => JSON.parse(execFileSync(process.execPath, [ALONE, path], { encoding: 'utf8' })) as number[],
  );
  const least = (of: readonly (number | undefined)[]) => (Math.min(...of.map(Number)) / branches).toFixed(1);
  const cold = least(rounds.map(([first]) => first));
  const warm = least(rounds.flatMap(([, ...others]) => others));
  return `The decoder alone: ${cold} ns a branch cold, ${warm} ns warm (least of ${runs} rounds).`;
}

const options = readOptions();
for (const recording of options.recordings) {
  const [, path = recording, branches = '0'] = /^(.*?)(?::(\d+))?$/.exec(recording) ?? [];
  process.stdout.write(`\n${basename(path)}, medians of ${options.runs} rounds:\n\n`);
  if (Number(branches) > 0) process.stdout.write(`${alone(path, Number(branches), options.runs)}\n\n`);
  if (options.alone) continue;
  const measured = await measureRounds(candidatesFor(path, options), options.runs);
  process.stdout.write(`${table(Number(branches), measured)}\n`);
}
