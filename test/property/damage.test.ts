/**
 * Damages real traces in every way that text can be damaged: replay never breaks, and its result is consistent.
 */
import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AnalyzeOptions, type Profile, PtflameError } from '../../src/index.js';
import { expectSound } from '../helpers/checks/sound.js';
import { times } from '../helpers/random/times.js';
import { type Damage, damaged, ERRORS, RECORDS } from '../helpers/traces/damage.js';
import { analyzeText, fixture, fold } from '../helpers/traces/load.js';

const SLICE_LINES = 300;

const traces = [...wholeTraces('lab'), ...wholeTraces('hardware'), ...wholeTraces('constructed'), ...slices()];

interface Trace {
  readonly name: string;
  readonly lines: readonly string[];
}

function wholeTraces(folder: string): Trace[] {
  return readdirSync(`fixtures/${folder}`).map((file) => ({ name: file, lines: linesOf(`${folder}/${file}`) }));
}

/** Two parts of each trace with known truth. */
function slices(): Trace[] {
  return readdirSync('fixtures/truth')
    .filter((file) => file.endsWith('.perf.txt.gz'))
    .flatMap((file) => {
      const lines = linesOf(`truth/${file}`);
      const middle = lines.length >> 1;
      return [0, middle].map((at) => ({ name: `${file} from ${at}`, lines: lines.slice(at, at + SLICE_LINES) }));
    });
}

function linesOf(name: string): string[] {
  return fixture(name).toString('latin1').trimEnd().split('\n');
}

const anywhere = fc.nat(9999);
const bytes = { at: anywhere, byte: anywhere, to: fc.oneof(fc.nat(255), fc.constantFrom(...Buffer.from(' 09afx:.+'))) };
const several = { at: anywhere, lines: fc.integer({ min: 1, max: 30 }) };
const insert = (forms: readonly string[]) =>
  fc.record({ what: fc.constant('insert' as const), at: anywhere, form: fc.constantFrom(...forms) });

const DAMAGES: Readonly<Record<string, fc.Arbitrary<Damage>>> = {
  'lines are missing': fc.record({ what: fc.constant('drop' as const), ...several }),
  'lines are doubled': fc.record({ what: fc.constant('double' as const), ...several }),
  'lines are swapped': fc.record({ what: fc.constant('swap' as const), at: anywhere, other: anywhere }),
  'the trace is truncated': fc.record({ what: fc.constant('cut' as const), at: anywhere, byte: anywhere }),
  'bytes are changed, inserted or missing': fc.record({
    what: fc.constantFrom('set byte' as const, 'insert byte' as const, 'delete byte' as const),
    ...bytes,
  }),
  'perf reports errors': insert(ERRORS),
  'there are switches, execs and forks': insert(RECORDS),
};

const options: fc.Arbitrary<AnalyzeOptions> = fc.record({
  tailCalls: fc.constantFrom('nest' as const, 'replace' as const),
  extend: fc.boolean(),
  byCalls: fc.boolean(),
});
const trace = fc.constantFrom(...traces).map((one) => withName(one.name, one.lines));

/** Makes failures print the name instead of hundreds of lines. */
function withName(name: string, lines: readonly string[]): Trace {
  return { name, lines, ...{ [fc.toStringMethod]: () => name } };
}

test.each(traces)('undamaged: $name', async ({ lines }) => {
  await expectSoundOrRejected(damaged(lines, []), {});
});

describe('a profile is consistent if', { timeout: 180_000 }, () => {
  test.each(Object.entries(DAMAGES))('%s', async (_, damage) => {
    await fc.assert(
      fc.asyncProperty(
        trace,
        fc.array(damage, { minLength: 1, maxLength: 40 }),
        options,
        async ({ lines }, damages, how) => {
          await expectSoundOrRejected(damaged(lines, damages), how);
        },
      ),
      { numRuns: times(40) },
    );
  });

  test('two traces are spliced', async () => {
    await fc.assert(
      fc.asyncProperty(trace, trace, anywhere, anywhere, options, async (first, second, until, from, how) => {
        const lines = [
          ...first.lines.slice(0, until % first.lines.length),
          ...second.lines.slice(from % second.lines.length),
        ];
        await expectSoundOrRejected(damaged(lines, []), how);
      }),
      { numRuns: times(40) },
    );
  });

  test('all of this happens at once', async () => {
    const anything = fc.array(fc.oneof(...Object.values(DAMAGES)), { minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(trace, anything, options, async ({ lines }, damages, how) => {
        await expectSoundOrRejected(damaged(lines, damages), how);
      }),
      { numRuns: times(70) },
    );
  });
});

async function expectSoundOrRejected(text: string, how: AnalyzeOptions): Promise<void> {
  const profile = await profileOrError(text, how);
  if (profile instanceof PtflameError) {
    expect(['NO_BRANCHES', 'TIMELESS']).toContain(profile.code);
    return;
  }
  expectSound(profile);
  expect(profile.quality.lines).toBe(text.split('\n').length - (text.endsWith('\n') || text === '' ? 1 : 0));
  expect(fold(profile, { annotate: true })).not.toMatch(/NaN|Infinity|undefined|-\d+$/m);
}

async function profileOrError(text: string, how: AnalyzeOptions): Promise<Profile | PtflameError> {
  try {
    return await analyzeText(Buffer.from(text, 'latin1'), how);
  } catch (error) {
    if (error instanceof PtflameError) return error;
    throw error;
  }
}
