/**
 * Runs the built program in a directory of its own and returns its exit code, output and files.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { test as base, expect } from 'vitest';
import { ownEnvironment, type Run, runHere } from './run-here.js';

export type { Run } from './run-here.js';

export const PROGRAM = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));
if (!existsSync(PROGRAM)) throw new Error(`${PROGRAM} is missing: npm run build`);

/** A process that hangs is killed after this, and its test fails with what it printed. */
const MAX_RUN_MS = 120_000;

export function fixturePath(name: string): string {
  return fileURLToPath(new URL(`../../../fixtures/${name}`, import.meta.url));
}

/** The example of the design, and its result according to spec.md §4. */
export const SIX_LINES = fixturePath('hardware/mysql-cr-target-fields.txt');
export const SIX_LINES_FOLDED = [
  'mem_heap_block_free 75',
  'mem_heap_block_free;mem_block_validate 0',
  'mem_heap_block_free;pfs_memory_free_v1 0',
  'mem_heap_block_free;pfs_memory_free_v1;find_memory_class 19',
  '',
].join('\n');

/** Two threads of a server and one of another program, each in its own function, on two CPUs. */
export const THREE_THREADS = `\
server 100/101 [000] 1.000000100: call   401010 work+0x10 => 402000 read_row+0x0
server 100/102 [001] 1.000000100: call   401010 work+0x10 => 403000 write_row+0x0
backup 200/201 [001] 1.000000100: call   501010 work+0x10 => 502000 copy_page+0x0
server 100/101 [000] 1.000000110: return 402010 read_row+0x10 => 401015 work+0x15
server 100/102 [001] 1.000000130: return 403010 write_row+0x10 => 401015 work+0x15
backup 200/201 [001] 1.000000170: return 502010 copy_page+0x10 => 501015 work+0x15
`;

/** Returns a trace larger than the buffer of any pipe, also as folded stacks. */
export function wideTrace(): string {
  const name = (index: number) => `f${index}_${'x'.repeat(60)}`;
  const time = (index: number, ns: number) => `1.${String(index * 10 + ns).padStart(9, '0')}`;
  const address = (index: number) => (0x500000 + index * 64).toString(16);
  const calls = Array.from({ length: 5000 }, (_, index) => [
    `7 [000] ${time(index, 0)}: call 400000 main+0x0 => ${address(index)} ${name(index)}+0x0\n`,
    `7 [000] ${time(index, 5)}: return ${address(index)} ${name(index)}+0x0 => 400005 main+0x5\n`,
  ]);
  return calls.flat().join('');
}

export interface RunOptions {
  /** Added to this process's own. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Standard input, of a process through a pipe; null: an open pipe without data; absent: /dev/null. */
  readonly input?: string | Uint8Array | null;
  /** A file descriptor for standard output. Default: a pipe. */
  readonly stdout?: number;
}

/**
 * Runs the program to its end: in this process, which is faster, unless the run needs its own.
 */
export async function ptflame(args: readonly string[], options: RunOptions = {}): Promise<Run> {
  const { env, cwd, input } = options;
  if (!needsProcess(args, options))
    return runHere(args, { ...(env && { env }), ...(cwd !== undefined && { cwd }), ...(input && { input }) });
  const { exitCode, stdout, stderr } = await startPtflame(args, options);
  return { exitCode, stdout: String(stdout ?? ''), stderr };
}

/** Workers load built files, and `--memory` applies to a whole process. */
const NEEDS_PROCESS: ReadonlySet<string> = new Set(['-j', '--jobs', '--memory', '-o-']);

function needsProcess(args: readonly string[], { env = {}, input, stdout }: RunOptions): boolean {
  const isForNode = Object.keys(env).some((name) => name.startsWith('NODE_'));
  if (isForNode || stdout !== undefined || args.some((arg) => NEEDS_PROCESS.has(arg))) return true;
  return args.includes('-') ? !input || isOutput(args) : input !== undefined;
}

/** Whether `-` is standard output. */
function isOutput(args: readonly string[]): boolean {
  return args.some((arg, at) => arg === '-' && /^(?:-o|--output)$/.test(args[at - 1] ?? ''));
}

/** Starts the program, for tests that interact with it. */
export function startPtflame(args: readonly string[], { cwd = tmpdir(), env = {}, input, stdout }: RunOptions = {}) {
  return execa(process.execPath, [PROGRAM, ...args], {
    cwd,
    env: { ...ownEnvironment(), ...env },
    extendEnv: false,
    stdin: input === undefined ? 'ignore' : 'pipe',
    ...(input === undefined || input === null ? {} : { input }),
    stdout: (stdout ?? 'pipe') as 'pipe', // execa accepts any descriptor, its types do not
    reject: false,
    stripFinalNewline: false,
    timeout: MAX_RUN_MS,
    killSignal: 'SIGKILL',
  });
}

/** Expects a message and a remedy on standard error, and no other output. */
export function expectRefusal(run: Run, exitCode: 1 | 2, message: RegExp, remedy = /./): void {
  expect(run).toMatchObject({ exitCode, stdout: '' });
  expect(run.stderr).toMatch(/^ptflame: [^\n]+\n {2}[^\n]+\n$/);
  const [first, second] = run.stderr.split('\n');
  expect(first).toMatch(message);
  expect(second).toMatch(remedy);
}

/** A temporary directory, removed after the test. */
export class Directory {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  file(name: string): string {
    return join(this.path, name);
  }

  /** Writes a file and returns its path. */
  async write(name: string, content: string | Uint8Array): Promise<string> {
    await writeFile(this.file(name), content);
    return this.file(name);
  }

  read(name: string): Promise<string> {
    return readFile(this.file(name), 'utf8');
  }

  /** Removes all files. */
  async clear(): Promise<void> {
    for (const name of await this.names()) await rm(this.file(name), { recursive: true });
  }

  /** Returns the names of all files in order, including hidden ones. */
  async names(): Promise<string[]> {
    return (await readdir(this.path)).sort();
  }
}

export const test = base.extend<{ dir: Directory }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern what a fixture needs
  dir: async ({}, use) => {
    const path = await realpath(await mkdtemp(join(tmpdir(), 'ptflame-test-')));
    await use(new Directory(path));
    await rm(path, { recursive: true, force: true });
  },
});
