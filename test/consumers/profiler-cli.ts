/**
 * Asks the command line of Firefox Profiler, which has the code of its page, in a process of its own for each profile.
 */
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { execa, type ResultPromise } from 'execa';
import { unpacked } from '../../bench/viewers/packages.js';

export interface FirefoxThread {
  readonly threadHandle: string;
  readonly name: string;
  readonly tid: number;
  readonly cpuMs: number;
  readonly markerCount: number;
}

/** Times in ms. */
export interface FirefoxFunction {
  readonly name: string;
  readonly library?: string;
  readonly selfSamples: number;
  readonly totalSamples: number;
}

const CACHE = join(tmpdir(), 'ptflame-consumers');

/** Returns its folder, from the cache or from npm; otherwise why there is none. */
export function findProfilerCli(): { readonly folder: string } | { readonly problem: string } {
  try {
    return { folder: unpacked('profiler', CACHE) };
  } catch (error) {
    return { problem: `profiler-cli cannot be fetched: ${error instanceof Error ? error.message : error}` };
  }
}

const SESSION_NAME = 'test';
const SESSION = ['--session', SESSION_NAME];
const RETRY_MS = 50;

/** A profile that its process has loaded. */
export class LoadedProfile {
  private readonly server: ResultPromise;
  private readonly run: (...args: readonly string[]) => Promise<string>;

  private constructor(server: ResultPromise, run: LoadedProfile['run']) {
    this.server = server;
    this.run = run;
  }

  /**
   * `directory` is for what it keeps of the process. The process is started here and not by the command `load`, which
   * waits for it for half a second only.
   */
  static async load(folder: string, path: string, directory: string): Promise<LoadedProfile> {
    // It must not ask servers for symbols.
    const env = { PROFILER_CLI_SESSION_DIR: directory, PROFILER_CLI_NO_SYMBOLICATE: '1' };
    const start = (args: readonly string[]) =>
      execa(process.execPath, [join(folder, 'profiler-cli.js'), ...args], { env });
    const server = start(['--daemon', path, ...SESSION]);
    server.catch(() => {}); // the command that asks it fails, too
    const loaded = new LoadedProfile(server, async (...args) => (await start([...args, ...SESSION])).stdout);
    await loaded.listening(join(directory, `${SESSION_NAME}.json`));
    await loaded.ready();
    return loaded;
  }

  /** Asking earlier is not safe: a command that finds no whole `sessionFile` removes what the process just wrote. */
  private async listening(sessionFile: string): Promise<void> {
    while (this.server.exitCode === null)
      try {
        JSON.parse(await readFile(sessionFile, 'utf8'));
        return;
      } catch {
        await setTimeout(RETRY_MS);
      }
  }

  private async ready(): Promise<void> {
    for (;;)
      try {
        await this.threads();
        return;
      } catch (error) {
        const hasFailed = this.server.exitCode !== null || String(error).includes('Profile load failed');
        if (!hasFailed) await setTimeout(RETRY_MS);
        else {
          this.server.kill();
          throw error;
        }
      }
  }

  async threads(): Promise<readonly FirefoxThread[]> {
    return (await this.ask<{ threads: FirefoxThread[] }>('thread', 'list', '--sort', 'index')).threads;
  }

  /** Those with any time. */
  async functions({ threadHandle }: FirefoxThread): Promise<readonly FirefoxFunction[]> {
    const all = ['--thread', threadHandle, '--limit', '0', '--include-idle'];
    return (await this.ask<{ functions: FirefoxFunction[] }>('thread', 'functions', ...all)).functions;
  }

  async stop(): Promise<void> {
    await this.run('stop');
    await this.server;
  }

  private async ask<Answer>(...args: readonly string[]): Promise<Answer> {
    return JSON.parse(await this.run(...args, '--json')) as Answer;
  }
}
