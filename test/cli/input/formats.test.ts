/**
 * A recording whose .formats file is missing says what it lacks, wherever that matters.
 */
import { expect } from 'vitest';
import { ptflame, test } from '../../helpers/cli/run-cli.js';
import { fixture } from '../../helpers/traces/load.js';

const REMEDY =
  "the names of the kernel's functions are missing: why threads waited is mostly unknown; copy its .formats file";

test('is missed by what needs it, and by nothing once it is there', async ({ dir }) => {
  const path = await dir.write('reasons.data', fixture('waits/reasons.data.gz'));
  const run = async (...words: string[]) => {
    const { stdout, stderr } = await ptflame([
      ...words,
      path,
      ...(words[0] === 'pack' ? ['-o', dir.file('x.pack')] : []),
    ]);
    return stdout + stderr;
  };
  const waits = await run('waits');
  expect(waits).toContain(REMEDY);
  expect(waits).toContain(
    'reasons.data.wakes.data is missing: who woke whom is not known; keep it next to the recording, or',
  );
  expect(waits).not.toContain('no wakings were recorded');
  expect(await run('info')).toContain("the names of the kernel's functions are missing");
  expect(await run('pack')).toMatch(/reasons\.data\.wakes\.data is not there.*\n.*reasons\.data\.formats is not there/);
  const values = await run('values', 'kernel-stacks:kernel_stack');
  expect(values).toMatch(/^ptflame: the names of the kernel's functions are missing.*\n.*\.formats/);
  expect(values).not.toContain('--probe');
  await dir.write('reasons.data.formats', fixture('waits/reasons.kernel.txt'));
  for (const words of [['waits'], ['info'], ['pack']]) expect(await run(...words)).not.toContain('formats');
  expect(await run('waits')).toContain('16.7 %');
});
