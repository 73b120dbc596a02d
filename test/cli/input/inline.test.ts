/**
 * `--inline`: shows functions that were inlined where calls come from, if the binary that is found is the one that ran.
 */
import { describe, expect } from 'vitest';
import { type Directory, ptflame, test } from '../../helpers/cli/run-cli.js';
import { rootWith } from '../../helpers/cli/symfs.js';
import { INLINED_TRACE, PROGRAM } from '../../helpers/traces/inlined-trace.js';

const INLINED = [
  'main 10',
  'main;from_header (inlined) 0',
  'main;from_header (inlined);leaf 10',
  'main;outer 50',
  'main;outer;leaf 10',
  'main;outer;middle (inlined) 0',
  'main;outer;middle (inlined);inner (inlined) 0',
  'main;outer;middle (inlined);inner (inlined);leaf 10',
  'main;outer;middle (inlined);leaf 10',
  'main;outer;middle (inlined);middle (inlined) 0',
  'main;outer;middle (inlined);middle (inlined);inner (inlined) 0',
  'main;outer;middle (inlined);middle (inlined);inner (inlined);leaf 10',
];

async function argsFor(dir: Directory, fixture = 'inlined/gcc-5'): Promise<string[]> {
  return [await dir.write('trace.txt', INLINED_TRACE), '--symfs', await rootWith(dir, PROGRAM, fixture), '-q'];
}

async function foldedBy(args: readonly string[]): Promise<string[]> {
  const run = await ptflame(['render', ...args]);
  expect(run).toMatchObject({ exitCode: 0, stderr: '' });
  return run.stdout.trimEnd().split('\n');
}

describe.concurrent('--inline', () => {
  test('shows inlined functions between a function and what it calls', async ({ dir }) => {
    expect(await foldedBy([...(await argsFor(dir)), '--inline'])).toEqual(INLINED);
  });

  test('shows none without the option, and none of a binary that has other functions there', async ({ dir }) => {
    const plain = ['main 10', 'main;leaf 10', 'main;outer 50', 'main;outer;leaf 40'];
    expect(await foldedBy(await argsFor(dir))).toEqual(plain);
    expect(await foldedBy([...(await argsFor(dir, 'inlined/rustc-5')), '--inline'])).toEqual(plain);
    expect(
      await foldedBy([await dir.write('trace.txt', INLINED_TRACE), '--symfs', dir.path, '-q', '--inline']),
    ).toEqual(plain);
  });

  test('lists what their code calls, and counts no calls of theirs', async ({ dir }) => {
    const args = [...(await argsFor(dir)), '--inline'];
    const { functions } = JSON.parse((await ptflame(['report', ...args, '--json'])).stdout);
    const middle = functions.find(({ name }: { name: string }) => name === 'middle (inlined)');
    expect(middle).toMatchObject({ isInlined: true, calls: 0, totalNs: 30, selfNs: 0, dso: PROGRAM });
    expect(functions.filter(({ isInlined }: { isInlined?: true }) => isInlined)).toHaveLength(3);
    expect((await ptflame(['report', ...args])).stdout).toMatch(/^ *30 ns .* – +middle \(inlined\)$/m);
  });

  test('writes them into a profile, which keeps them', async ({ dir }) => {
    const run = await ptflame(['render', ...(await argsFor(dir)), '--inline', '--format', 'json']);
    const { symbols } = JSON.parse(run.stdout);
    expect(symbols.kind[symbols.name.indexOf('inner (inlined)')]).toBe('inlined');
    const profile = await dir.write('out.json', run.stdout);
    expect((await ptflame(['render', profile, '--format', 'json', '-q'])).stdout).toBe(run.stdout);
    expect(await foldedBy([profile, '-q'])).toEqual(INLINED);
    expect((await ptflame(['render', profile, '--inline', '-q'])).stderr).toMatch(
      /--inline cannot be used with .*, which is a profile/,
    );
  });
});
