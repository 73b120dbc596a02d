/**
 * An imported file gives the same result as its text, byte for byte, for any lines and any question.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AnalyzedInput, type AnalyzeOptions, analyze, PtflameError, type TraceInput } from '../../../src/index.js';
import { jsonOf, readBack } from '../../helpers/checks/files/profile-file.js';
import { ALONE, imported, stored } from '../../helpers/checks/files/trace-file.js';
import { wrongNumbers } from '../../helpers/checks/wrong-numbers.js';
import { oddLine } from '../../helpers/random/odd-lines.js';
import { inputOf } from '../../helpers/traces/load.js';

const maybe = fc.boolean();
const options: fc.Arbitrary<AnalyzeOptions> = fc
  .record({
    tailCalls: fc.constantFrom('nest', 'replace'),
    extend: maybe,
    durations: maybe,
    foldRecursion: maybe,
    select: fc.constantFrom({}, {}, {}, { tids: [1] }, { cpus: [0, 1] }, { pids: [1, 2] }, { comm: /other/ }),
    root: fc.constantFrom(null, null, null, { pattern: /^work/ }),
  })
  .map(({ root, ...rest }) => ({ byCalls: true, ...ALONE, ...rest }));

/** The profile as JSON, or the error it was refused with. */
async function resultOf(inputs: readonly AnalyzedInput[], options: AnalyzeOptions): Promise<string> {
  try {
    return jsonOf(await analyze(inputs, options));
  } catch (error) {
    if (error instanceof PtflameError) return error.code;
    throw error;
  }
}

/** null: none of it can be used. */
async function fileOf(inputs: readonly TraceInput[]): Promise<Buffer | null> {
  try {
    return await imported(inputs);
  } catch (error) {
    if (error instanceof PtflameError) return null;
    throw error;
  }
}

test('a file gives the same result as its text, with possible numbers, for every output', {
  timeout: 60_000,
}, async () => {
  const lines = fc.array(oddLine, { minLength: 2, maxLength: 60 });
  const texts = fc.array(lines, { minLength: 1, maxLength: 2 });
  await fc.assert(
    fc.asyncProperty(texts, options, async (texts, options) => {
      const inputs = () => texts.map((lines, at) => inputOf(lines.join(''), `cpu${at}`));
      const file = await fileOf(inputs());
      if (file === null) return;
      const json = await resultOf(inputs(), options);
      expect(await resultOf([stored(file)], options)).toBe(json);
      if (!json.startsWith('{')) return;
      expect(wrongNumbers(json)).toEqual([]);
      expect(jsonOf(await readBack(json))).toBe(json);
    }),
    { numRuns: 150 },
  );
});

test('nameless functions of several files at one address stay distinct, as in the text', async () => {
  const text = `
1 [003] 1.778833623:   call  408025 a+0x25 ([unknown]) => 406000 [unknown] ([vdso])
2 [000] 2.710786233:   call  403015 g+0x15 (/tmp/x (deleted)) => 406010 [unknown] (/tmp/x (deleted))
1 [003] 3.585679936:   call  403025 g+0x25 ([unknown]) => 406010 [unknown] ([vdso])
3 [001] 3.585679938:   return  404010 operator new+0x10 => 406010 [unknown] ([unknown])
3 [001] 4.112092101:   return  406000 [unknown] => 40a000 b+0x0 (/tmp/x (deleted))
`.trimStart();
  const file = await imported([inputOf(text)]);
  expect(await resultOf([stored(file)], ALONE)).toBe(await resultOf([inputOf(text, 'cpu0')], ALONE));
});
