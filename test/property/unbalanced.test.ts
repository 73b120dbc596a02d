/**
 * What was lost shows: a plain trace, in which every call returns, and the same trace with something missing; and how
 * the lines are spread over files does not matter, whatever is missing.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { analyze, type Profile, type TraceInput } from '../../src/index.js';
import { expectSound, inferredCalls } from '../helpers/checks/sound.js';
import { type Decision, execute } from '../helpers/random/execution.js';
import { type Damage, damaged, ERRORS, RECORDS } from '../helpers/traces/damage.js';
import { analyzeText, fold, inputOf } from '../helpers/traces/load.js';

const ns = fc.constantFrom(0, 1, 7, 100, 5000);
const which = fc.nat(2000);
const callOrReturn: fc.Arbitrary<Decision> = fc.record({
  what: fc.constantFrom('call' as const, 'return' as const),
  which,
  ns,
});

/** Lines of one thread that calls and returns, and at last returns from all its calls. */
const balanced = fc.array(callOrReturn, { minLength: 1, maxLength: 60 }).map((decisions) => {
  const calls: Decision[] = [{ what: 'call', which: 1, ns: 1 }, ...decisions];
  const returns = calls.map((): Decision => ({ what: 'return', which: 0, ns: 1 })); // those too many do nothing
  return execute([[...calls, ...returns]]).lines.map(({ text }) => text);
});

test('a call or a return that is missing in a balanced trace is seen to be missing', async () => {
  await fc.assert(
    fc.asyncProperty(balanced, fc.nat(9999), async (lines, which) => {
      const whole = await analyzeText(textOf(lines));
      const missing = 1 + (which % (lines.length - 1)); // line 0 is the trace start
      const { quality, threads } = await analyzeText(textOf(lines.filter((_, line) => line !== missing)));
      const hasUnwound = threads.some(({ tree }) => tree.unwoundCalls.some((calls) => calls > 0));
      expect(inferredCalls(whole.quality)).toBe(1); // of the function that the trace began in
      expect(quality.gaps.length > 0 || inferredCalls(quality) > 1 || hasUnwound, lines[missing]).toBe(true);
    }),
    { numRuns: 150 },
  );
});

const decision: fc.Arbitrary<Decision> = fc.record({
  what: fc.constantFrom('call', 'call', 'call', 'return', 'return', 'tail', 'syscall', 'interrupt', 'migrate'),
  which,
  ns: fc.constantFrom(1, 7, 100, 5000, 3_000_000),
});
const threads = fc.array(fc.array(decision, { minLength: 1, maxLength: 50 }), { minLength: 1, maxLength: 4 });

/** What perf tells with its thread and time, so that it means the same in any file. */
const placed = [...ERRORS, ...RECORDS].filter((form) => form.includes('TIME') && !/tid -1|tid 7|^7|FORK\(7/.test(form));
const harm: fc.Arbitrary<Damage[]> = fc.array(
  fc.oneof(
    fc.record({ what: fc.constant('drop' as const), at: fc.nat(999), lines: fc.integer({ min: 1, max: 10 }) }),
    fc.record({ what: fc.constant('insert' as const), at: fc.nat(999), form: fc.constantFrom(...placed) }),
  ),
  { maxLength: 20 },
);

test('a trace with losses, in files by thread or processor, in any order, gives the same bytes as the whole', async () => {
  await fc.assert(
    fc.asyncProperty(
      threads,
      harm,
      fc.constantFrom('thread', 'processor'),
      fc.boolean(),
      async (run, damages, by, turned) => {
        const lines = damaged(
          execute(run).lines.map(({ text }) => text),
          damages,
        )
          .split('\n')
          .filter(Boolean);
        if (!lines.some((line) => line.includes('=>'))) return;
        const whole = await analyzeText(textOf(lines));
        const files = filesBy(by === 'thread' ? threadOf : processorOf, lines);
        const parts = await analyze(turned ? files.reverse() : files);
        expectSound(parts);
        expect(fold(parts, { annotate: true, by: 'thread' })).toBe(fold(whole, { annotate: true, by: 'thread' }));
        expect(gapsOf(parts)).toEqual(gapsOf(whole));
        expect({ ...parts.quality, gaps: [] }).toEqual({ ...whole.quality, gaps: [] });
      },
    ),
    { numRuns: 80 },
  );
});

/** By perf's clock: time 0 is the second that was read first. */
function gapsOf({ meta, quality }: Profile) {
  return quality.gaps.map((gap) => ({ ...gap, atNs: meta.originNs + BigInt(gap.atNs) }));
}

function filesBy(keyOf: (line: string) => string, lines: readonly string[]): TraceInput[] {
  const byKey = new Map<string, string[]>();
  for (const line of lines) byKey.set(keyOf(line), [...(byKey.get(keyOf(line)) ?? []), line]);
  return [...byKey].map(([key, ofKey]) => inputOf(textOf(ofKey), key));
}

function threadOf(line: string): string {
  return /(?:^| tid )(\d+)/.exec(line)?.[1] as string;
}

function processorOf(line: string): string {
  return /\[(\d+)\]/.exec(line)?.[1] ?? 'errors';
}

const textOf = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');
