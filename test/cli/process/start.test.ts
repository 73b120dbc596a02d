/**
 * A command loads only what it needs: otherwise starting takes longer than reading a small trace.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect } from 'vitest';
import {
  type Directory,
  expectRefusal,
  fixturePath,
  PROGRAM,
  ptflame,
  SIX_LINES,
  SIX_LINES_FOLDED,
  test,
} from '../../helpers/cli/run-cli.js';

interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly { functionName: string; ranges: readonly [{ count: number }, ...{ count: number }[]] }[];
}

interface Started {
  readonly stdout: string;
  readonly files: readonly string[];
  /** "src/replay/replayer.ts": modules of the bundle that were evaluated. */
  readonly modules: readonly string[];
  /** How often functions of a name were called. */
  readonly calls: (name: string) => number;
}

/** Above each module, esbuild writes its path. */
const MODULE = /^\/\/ ((?:cli|src|node_modules)\/\S+)$/gm;
/** Modules that are imported on demand are functions of that name. */
const MODULE_ON_DEMAND = /^ {2}"((?:cli|src|node_modules)\/\S+)"\(/gm;

/** Runs ptflame and reads from V8's coverage what was loaded and evaluated. */
async function start(args: readonly string[], dir: Directory): Promise<Started> {
  const { stdout, exitCode } = await ptflame(args, { env: { NODE_V8_COVERAGE: dir.path } });
  expect(exitCode).toBe(0);
  const [report, ...others] = readdirSync(dir.path);
  expect(others).toEqual([]);
  const { result } = JSON.parse(readFileSync(dir.file(report), 'utf8')) as { result: ScriptCoverage[] };
  const files = result.map(({ url }) => url).filter((url) => url.startsWith('file:'));
  const text = files.map((url) => readFileSync(fileURLToPath(url), 'utf8')).join('\n');
  const functions = result.flatMap((script) => script.functions);
  const calls = (name: string) =>
    functions.filter(({ functionName }) => functionName === name).reduce((sum, { ranges }) => sum + ranges[0].count, 0);
  const onDemand = new Set([...text.matchAll(MODULE_ON_DEMAND)].map(([, module]) => module));
  const modules = [...text.matchAll(MODULE)].map(([, module]) => module);
  return { stdout, files, calls, modules: modules.filter((module) => !onDemand.has(module) || calls(module) > 0) };
}

const REPLAY = 'src/replay/replayer.ts';
const SMALL_INPUTS = {
  'a text': [SIX_LINES],
  'a compressed text': [fixturePath('demo/threads.perf.txt.gz')],
  'a recording': [fixturePath('recordings/loop-1.data'), '--symfs', fixturePath('recordings/root')],
};

/** Modules that no start needs: packages outside the bundle, zod's locales, the profile reader. */
function needless({ files, modules }: Started): string[] {
  const installed = files.filter((url) => url.includes('/node_modules/'));
  const bundled = modules.filter((name) =>
    /zod.*\/locales\/(?!en\.js|index\.js)|profile-file\/(?:read|json|schema)/.test(name),
  );
  return [...installed, ...bundled];
}

describe.concurrent('starting', () => {
  test('help needs two files, and no reader, replay or renderer', async ({ dir }) => {
    const started = await start(['--help'], dir);
    expect(started.stdout).toContain('ptflame render');
    expect(started.modules).toContain('cli/main.ts');
    expect(started.modules.filter((name) => /^src\/(?!model\/|render\/[^/]*$|text\.ts)/.test(name))).toEqual([]);
    expect(needless(started)).toEqual([]);
    expect(started.files.length).toBe(2);
  });

  test('rendering a text needs no profile reader, no execa and no cli-progress', async ({ dir }) => {
    const started = await start(['render', SIX_LINES], dir);
    expect(started.stdout).toBe(SIX_LINES_FOLDED);
    expect(started.modules).toContain(REPLAY);
    expect(needless(started)).toEqual([]);
    expect(started.files.length).toBe(2);
  });

  test('rendering a text needs no decoder, no symbols, no page and no questions about waits', async ({ dir }) => {
    const { modules } = await start(['render', SIX_LINES], dir);
    const needless = /^src\/(?:decode|waits|questions|symbols|page)\//;
    expect(modules.filter((name) => needless.test(name))).toEqual([]);
  });

  for (const [kind, input] of Object.entries(SMALL_INPUTS))
    test(`no workers for ${kind} that is small`, async ({ dir }) => {
      expect((await start(['render', ...input, '-o', '/dev/null', '-q'], dir)).files.length).toBe(2);
    });

  test('prepares the help texts only for help', async ({ dir }) => {
    const HELP = 'cli/usage/help.ts';
    expect((await start(['render', SIX_LINES], dir)).modules).not.toContain(HELP);
    await dir.clear();
    expect((await start(['render', '--help'], dir)).modules).toContain(HELP);
  });

  test('describes the flags of no other command', async ({ dir }) => {
    const FLAG = 'flag'; // of cli/usage/flag.ts
    expect((await start(['--help'], dir)).calls(FLAG)).toBeLessThan(20);
    await dir.clear();
    const { calls } = await start(['render', SIX_LINES], dir);
    expect(calls(FLAG)).toBeGreaterThan(30);
    await dir.clear();
    const all = (await start(['help', '--man'], dir)).calls(FLAG);
    expect(calls(FLAG)).toBeLessThan(all / 2);
  });

  test('contains only the parser of yargs', async ({ dir }) => {
    const { modules } = await start(['--help'], dir);
    expect(modules).toContain('node_modules/yargs-parser/build/lib/yargs-parser.js');
    expect(modules.filter((name) => /yargs\/|cliui|y18n|emoji-regex/.test(name))).toEqual([]);
  });
});

describe.concurrent('a Node that is', () => {
  const pretend = (version: string) => ({
    NODE_OPTIONS: `--import=data:text/javascript,Object.defineProperty(process.versions,'node',{value:'${version}'})`,
  });

  for (const version of ['14.21.3', '18.20.8', '20.18.3'])
    test(`too old is refused: ${version}`, async () => {
      const run = await ptflame(['render', SIX_LINES], { env: pretend(version) });
      expectRefusal(run, 1, new RegExp(`Node ${version} is too old.* needs Node 20\\.19 or newer`), /nodejs\.org/);
    });

  for (const version of ['20.19.0', '22.0.0', '100.1.0'])
    test(`new enough runs: ${version}`, async () => {
      expect(await ptflame(['render', SIX_LINES, '--quiet'], { env: pretend(version) })).toMatchObject({
        exitCode: 0,
        stdout: SIX_LINES_FOLDED,
      });
    });

  test('requires the same version as package.json', () => {
    const { engines } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
    expect(readFileSync(PROGRAM, 'utf8')).toContain(`OLDEST_NODE = "${engines.node.replace('>=', '')}"`);
  });
});
