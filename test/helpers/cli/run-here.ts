/**
 * Runs a command in this process as if in its own, and returns its exit code and output.
 */
import { tmpdir } from 'node:os';
import { Readable, Writable } from 'node:stream';
import { removeTemporaryFiles } from '../../../cli/output/temporary-files.js';
import { reportError } from '../../../cli/process/exit.js';
import { run } from '../../../cli/run.js';

export interface Run {
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

const NEVER = new AbortController().signal;

/** Runs are sequential: each changes the environment and the streams of this process. */
let last: Promise<unknown> = Promise.resolve();
/** The environment without what the current run adds. */
let unchanged: NodeJS.ProcessEnv | null = null;

/** The environment for programs that tests start: not that of a run that happens meanwhile. */
export const ownEnvironment = (): NodeJS.ProcessEnv => unchanged ?? process.env;

export interface Environment {
  /** Default: the directory for temporary files. */
  readonly cwd?: string;
  /** Added to this process's own. */
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input. Default: that of this process. */
  readonly input?: string | Uint8Array;
}

export function runHere(args: readonly string[], environment: Environment): Promise<Run> {
  const next = last.then(() => runAlone(args, environment));
  last = next.catch(() => {});
  return next;
}

async function runAlone(args: readonly string[], { cwd = tmpdir(), env: added, input }: Environment): Promise<Run> {
  const [directory, env] = [process.cwd(), { ...process.env }];
  const outputs = { stdout: new Collector(), stderr: new Collector() };
  const ours = { ...outputs, ...(input !== undefined && { stdin: inPieces(Buffer.from(input)) }) };
  const streams = Object.entries(ours).map(
    ([name, stream]) => [name, stream, Object.getOwnPropertyDescriptor(process, name) as PropertyDescriptor] as const,
  );
  unchanged = env;
  process.chdir(cwd);
  Object.assign(process.env, added);
  for (const [name, value] of streams) Object.defineProperty(process, name, { configurable: true, value });
  try {
    const exitCode = await exitCodeOf(args);
    return { exitCode, stdout: outputs.stdout.text, stderr: outputs.stderr.text };
  } finally {
    for (const [name, , theirs] of streams) Object.defineProperty(process, name, theirs);
    restoreEnv(env);
    unchanged = null;
    process.chdir(directory);
  }
}

async function exitCodeOf(args: readonly string[]): Promise<number> {
  try {
    await run(args, NEVER);
    return Number(process.exitCode ?? 0);
  } catch (error) {
    return reportError(error);
  } finally {
    process.exitCode = 0;
    removeTemporaryFiles();
  }
}

function restoreEnv(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
}

const PIPE_BYTES = 65_536;

function inPieces(bytes: Buffer): Readable {
  function* pieces() {
    for (let at = 0; at < bytes.length; at += PIPE_BYTES) yield bytes.subarray(at, at + PIPE_BYTES);
  }
  return Readable.from(pieces());
}

class Collector extends Writable {
  private readonly chunks: Buffer[] = [];

  get text(): string {
    return Buffer.concat(this.chunks).toString();
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.chunks.push(chunk);
    done();
  }
}
