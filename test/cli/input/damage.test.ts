/**
 * Runs each command on many kinds of damaged inputs: it gives a result, or one error with a remedy and no output files.
 */
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, vi } from 'vitest';
import { DiffOptions, diff } from '../../../cli/commands/diff.js';
import { ImportOptions, importInputs } from '../../../cli/commands/import.js';
import { InfoOptions, info } from '../../../cli/commands/info.js';
import { LatencyOptions, latency } from '../../../cli/commands/latency.js';
import { PackOptions, pack } from '../../../cli/commands/pack.js';
import { RenderOptions, render } from '../../../cli/commands/render.js';
import { ReportOptions, report } from '../../../cli/commands/report.js';
import { StacksOptions, stacks } from '../../../cli/commands/stacks.js';
import { FORMATS, outputFormats } from '../../../cli/output/formats.js';
import { removeTemporaryFiles } from '../../../cli/output/temporary-files.js';
import { toPtflameError } from '../../../cli/process/exit.js';
import { type DamagedInput, damagedInputs } from '../../helpers/cli/damaged-inputs.js';
import { type Directory, SIX_LINES, test } from '../../helpers/cli/run-cli.js';
import { everyNth } from '../../helpers/random/times.js';

const NEVER = new AbortController().signal;
const MAX_MS = 30_000;

/** The files that commands write. */
const outputs = ['out.folded', 'out.svg', 'out.html', 'out.json', 'out.ptf', 'out.pack'] as const;

function commands(path: string, dir: Directory): Record<string, () => Promise<void>> {
  const common = { quiet: true, tempDir: dir.path, jobs: 1 };
  const rendered = outputs.slice(0, 4).map((name) => dir.file(name));
  const draw = (options: RenderOptions) => render(options, outputFormats(options, FORMATS), NEVER);
  return {
    render: () => draw(RenderOptions.parse({ ...common, inputs: [path], output: rendered })),
    'render --salvage': () =>
      draw(RenderOptions.parse({ ...common, inputs: [path], output: rendered.slice(0, 1), salvage: true })),
    'render with another input': () =>
      draw(RenderOptions.parse({ ...common, inputs: [SIX_LINES, path], output: rendered.slice(3), byCalls: true })),
    import: () => importInputs(ImportOptions.parse({ ...common, inputs: [path], output: dir.file('out.ptf') }), NEVER),
    pack: () => pack(PackOptions.parse({ recording: path, output: dir.file('out.pack'), quiet: true }), NEVER),
    info: () => info(InfoOptions.parse({ file: path }), NEVER),
    report: () => report(ReportOptions.parse({ ...common, inputs: [path], json: true }), NEVER),
    latency: () => latency(LatencyOptions.parse({ ...common, function: 'main', inputs: [path] }), 'main', NEVER),
    stacks: () => stacks(StacksOptions.parse({ ...common, inputs: [path], at: '+1us' }), NEVER),
    diff: () => diff(DiffOptions.parse({ ...common, beforeInput: path, afterInput: SIX_LINES }), NEVER),
  };
}

const late = Symbol('late');

/** Returns the error of a command; null if it succeeded. */
async function failure(run: () => Promise<void>): Promise<unknown> {
  const timer = new Promise((done) => setTimeout(done, MAX_MS, late).unref());
  return Promise.race([
    run().then(
      () => null,
      (error) => error,
    ),
    timer,
  ]);
}

beforeAll(() => {
  const swallow = (...args: unknown[]) => {
    args.findLast((arg) => typeof arg === 'function')?.();
    return true;
  };
  vi.spyOn(process.stdout, 'write').mockImplementation(swallow);
  vi.spyOn(process.stderr, 'write').mockImplementation(swallow);
});
afterAll(() => void vi.restoreAllMocks());

describe('damage', () => {
  test('gives a result, or one error that says what to do', async ({ dir }) => {
    const faults: string[] = [];
    const tried = async (command: string, run: () => Promise<void>, input: DamagedInput) => {
      const end = input.prepare?.();
      const error = await failure(run);
      end?.();
      const names = (await dir.names()).filter((name) => name.startsWith('out.') || name.startsWith('.out.'));
      removeTemporaryFiles();
      for (const name of names) await rm(dir.file(name), { force: true });
      const what = `${command}, ${input.name}`;
      if (error === null) return;
      if (error === late) return void faults.push(`${what}: does not end`);
      const { code, message, hint } = toPtflameError(error);
      if (code === 'INTERNAL' || code === 'SYSTEM') faults.push(`${what}: ${(error as Error).stack}`);
      else if (!/\S/.test(message) || !/\S/.test(hint)) faults.push(`${what}: reports ${message} / ${hint}`);
      if (names.some((name) => name.startsWith('out.'))) faults.push(`${what}: failed, and left ${names}`);
    };
    const all = (await damagedInputs(dir)).flatMap((input) =>
      Object.entries(commands(input.path, dir)).map(([command, run]) => ({ command, run, input })),
    );
    for (const { command, run, input } of everyNth(all, 3)) await tried(command, run, input); // of ten commands, others
    expect(faults).toEqual([]);
  });
});
