/**
 * Runs the command line with one failing request to the system per run: a read, write, rename or allocation, in the
 * main thread or in a worker. Each run must end with the right output or with one message, and leave no files behind.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import type { AnyCase, Kind } from '../kind.js';
import { Random } from '../random.js';
import { builtFile, SCENARIOS, type Scenario, scenarioArguments } from './scenarios.js';

interface Fault {
  readonly scenario: string;
  readonly thread: 'main' | 'worker';
  /** Which request of the thread fails, counted from 0. */
  readonly at: number;
  readonly error: string;
}

interface FaultCase extends AnyCase {
  readonly scenario: Scenario;
  readonly fault: Fault;
}

const PROGRAM = builtFile('cli/main.js');
const INJECT = builtFile('fuzz/faults/inject.cjs');
const ERRORS = ['EIO', 'ENOSPC', 'ENOMEM', 'EMFILE', 'EACCES'];
const RUN_TIMEOUT_MS = 25_000;

/** `directory`: for inputs and outputs. */
export function faults(seed: number, directory: string, scenarios = SCENARIOS): Kind<FaultCase> {
  const references = new Map<string, Promise<Reference>>();
  const referenceOf = (scenario: Scenario) => {
    const known = references.get(scenario.name) ?? reference(scenario, directory);
    references.set(scenario.name, known);
    return known;
  };
  return {
    isText: false,
    sizeOf: () => 1,
    async make(number) {
      const random = new Random(seed, number);
      const scenario = random.pick(scenarios);
      const { requests } = await referenceOf(scenario);
      const thread = requests.worker > 0 && random.oneIn(2) ? 'worker' : 'main';
      const fault: Fault = {
        scenario: scenario.name,
        thread,
        at: random.below(requests[thread]),
        error: random.pick(ERRORS),
      };
      const text = JSON.stringify(fault);
      return { number, bytes: Buffer.from(text), steps: [text], scenario, fault };
    },
    async check({ scenario, fault }) {
      const { output } = await referenceOf(scenario);
      const run = await runWith(scenario, directory, { PTFLAME_FAULT: JSON.stringify(fault) });
      checkRun(run, output);
      return { parserMs: 0 };
    },
  };
}

interface Reference {
  readonly output: Buffer;
  /** The number of requests that each kind of thread makes; of several workers, the maximum. */
  readonly requests: { readonly main: number; readonly worker: number };
}

async function reference(scenario: Scenario, directory: string): Promise<Reference> {
  const counts = join(directory, `${scenario.name}-counts`);
  rmSync(counts, { recursive: true, force: true });
  mkdirSync(counts);
  const { exitCode, output, stderr } = await runWith(scenario, directory, { PTFLAME_FAULT_COUNT: counts });
  assert(exitCode === 0 && output !== null, `${scenario.name} fails without a fault: ${stderr}`);
  const requests = { main: 0, worker: 0 };
  for (const name of readdirSync(counts)) {
    const thread = name.startsWith('main') ? 'main' : 'worker';
    requests[thread] = Math.max(requests[thread], Number(readFileSync(join(counts, name), 'utf8')));
  }
  return { output, requests };
}

interface Run {
  readonly exitCode: number | undefined;
  readonly stderr: string;
  readonly isTimedOut: boolean;
  /** null: there is none. */
  readonly output: Buffer | null;
  /** Other files in its directory. */
  readonly others: readonly string[];
}

async function runWith(scenario: Scenario, directory: string, env: Record<string, string>): Promise<Run> {
  const outDirectory = join(directory, 'out');
  rmSync(outDirectory, { recursive: true, force: true });
  mkdirSync(outDirectory);
  const target = join(outDirectory, 'output');
  const run = await execa(process.execPath, [PROGRAM, ...scenarioArguments(scenario, directory, target)], {
    env: { ...env, NODE_OPTIONS: `--require=${INJECT}`, TMPDIR: outDirectory },
    reject: false,
    stdin: 'ignore',
    timeout: RUN_TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  return {
    exitCode: run.exitCode,
    stderr: run.stderr,
    isTimedOut: run.timedOut,
    output: existsSync(target) ? readFileSync(target) : null,
    others: readdirSync(outDirectory).filter((name) => name !== 'output'),
  };
}

function checkRun({ exitCode, stderr, isTimedOut, output, others }: Run, expected: Buffer): void {
  assert(!isTimedOut, `it hangs; stderr: ${stderr}`);
  assert.deepEqual(others, [], 'files are left behind');
  if (exitCode === 0) {
    // text that ends early is used up to there, with a warning
    const isExpected = output?.equals(expected) || /^warning: .* ends early/m.test(stderr);
    return assert(isExpected, `it succeeds with a different output; stderr: ${stderr}`);
  }
  assert.equal(exitCode, 1, `exit code; stderr: ${stderr}`);
  assert.equal(output, null, 'it fails, but leaves an output');
  assert.match(stderr, /^ptflame: \S[^\n]+\n {2}\S/m, `no message of what is wrong and what to do: ${stderr}`);
  assert.doesNotMatch(stderr, /^\s+at .*[:(]/m, `a stack trace: ${stderr}`);
}
