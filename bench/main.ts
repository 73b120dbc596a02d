/**
 * `npm run bench`: makes traces, measures ptflame, wc and grep on them, prints tables. See docs/performance.md.
 */
import { rmSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Candidate, candidatesFor, importCommand, PROGRAM } from './candidates.js';
import { KINDS, type Kind } from './generator/kinds.js';
import { measure } from './measure.js';
import { type BenchOptions, readOptions } from './options.js';
import { measurePhases } from './phases.js';
import { type BenchReport, machineFacts, markdown, type TraceResult } from './report.js';
import { measureRounds } from './rounds.js';
import { cachedTrace } from './trace-cache.js';

const SIX_LINES = fileURLToPath(new URL('../../fixtures/hardware/mysql-cr-target-fields.txt', import.meta.url));
const START_UP_RUNS = 20;

async function bench(options: BenchOptions): Promise<BenchReport> {
  logProgress(`start-up, ${START_UP_RUNS} runs`);
  const startUp = await measureRounds(startUpCandidates(options.against), START_UP_RUNS);
  const traces: TraceResult[] = [];
  for (const kind of options.kinds) traces.push(await benchTrace(kind, options));
  return { machine: machineFacts(options.date), runs: options.runs, startUp, traces };
}

async function benchTrace(
  kind: Kind,
  { directory, sizeBytes, runs, flags, against }: BenchOptions,
): Promise<TraceResult> {
  logProgress(`${kind}: the trace`);
  const { path, ...trace } = cachedTrace(directory, kind, { ...KINDS[kind], sizeBytes });
  await measure(['wc', '-l', path]); // loads the file into the page cache
  logProgress(`${kind}: import`);
  const importedPath = `${path}.${process.pid}.ptf`;
  try {
    const { stdout: _, ...importCost } = await measure(importCommand(path, importedPath));
    const imported = { ...importCost, bytes: statSync(importedPath).size };
    logProgress(`${kind}: ${runs} rounds`);
    const measured = await measureRounds(candidatesFor({ path, ...trace }, importedPath, flags, against), runs);
    logProgress(`${kind}: phases`);
    return { trace, imported, measured, phases: await measurePhases(path, runs) };
  } finally {
    rmSync(importedPath, { force: true });
  }
}

function startUpCandidates(against: string | null): Candidate[] {
  const starting = (name: string, program: string, ...args: string[]): Candidate => ({
    name,
    command: [process.execPath, program, ...args],
    check: async (stdout) => {
      if (stdout === '') throw new Error(`${name} prints nothing`);
    },
  });
  const both = (name: string, program: string) => [
    starting(`${name} --help`, program, '--help'),
    starting(`${name} render six-lines.txt`, program, 'render', SIX_LINES, '--quiet'),
  ];
  return [...both('ptflame', PROGRAM), ...(against === null ? [] : both('other version', against))];
}

/** Progress goes to standard error; standard output is for the tables. */
function logProgress(what: string): void {
  process.stderr.write(`${what}\n`);
}

const options = readOptions(process.argv.slice(2));
const report = await bench(options);
if (options.jsonPath !== null) writeFileSync(options.jsonPath, `${JSON.stringify(report, null, 2)}\n`);
process.stdout.write(`${markdown(report)}\n`);
