/**
 * Removes lines from balanced traces, in which every call returns: the loss must show. And however the lines are spread
 * over files, the result must be the same.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { analyze, type Profile, type TraceInput } from '../../src/index.js';
import { expectSound, inferredCalls } from '../helpers/checks/sound.js';
import { type Decision, execute } from '../helpers/random/execution.js';
import { times } from '../helpers/random/times.js';
import { type Damage, damaged, ERRORS, RECORDS } from '../helpers/traces/damage.js';
import { analyzeText, fold, inputOf } from '../helpers/traces/load.js';

const ns = fc.constantFrom(0, 1, 7, 100, 5000);
const which = fc.nat(2000);
const callOrReturn: fc.Arbitrary<Decision> = fc.record({
  what: fc.constantFrom('call' as const, 'return' as const),
  which,
  ns,
});

/** Lines of a thread that calls and returns, and finally returns from all its calls. */
const balanced = fc.array(callOrReturn, { minLength: 1, maxLength: 60 }).map((decisions) => {
  const calls: Decision[] = [{ what: 'call', which: 1, ns: 1 }, ...decisions];
  const returns = calls.map((): Decision => ({ what: 'return', which: 0, ns: 1 })); // extra ones do nothing
  return execute([[...calls, ...returns]]).lines.map(({ text }) => text);
});

test('notices a missing call or return in a balanced trace', async () => {
  await fc.assert(
    fc.asyncProperty(balanced, fc.nat(9999), async (lines, which) => {
      const whole = await analyzeText(textOf(lines));
      const missing = 1 + (which % (lines.length - 1)); // line 0 is the trace start
      const { quality, threads } = await analyzeText(textOf(lines.filter((_, line) => line !== missing)));
      const hasUnwound = threads.some(({ tree }) => tree.unwoundCalls.some((calls) => calls > 0));
      expect(inferredCalls(whole.quality)).toBe(1); // of the function that the trace began in
      expect(quality.gaps.length > 0 || inferredCalls(quality) > 1 || hasUnwound, lines[missing]).toBe(true);
    }),
    { numRuns: times(70) },
  );
});

const decision: fc.Arbitrary<Decision> = fc.record({
  what: fc.constantFrom('call', 'call', 'call', 'return', 'return', 'tail', 'syscall', 'interrupt', 'migrate'),
  which,
  ns: fc.constantFrom(1, 7, 100, 5000, 3_000_000),
});
const threads = fc.array(fc.array(decision, { minLength: 1, maxLength: 50 }), { minLength: 1, maxLength: 4 });

/** Lines that state their thread and time, so that they mean the same in any file. */
const datedForms = [...ERRORS, ...RECORDS].filter(
  (form) => form.includes('TIME') && !/tid -1|tid 7|^7|FORK\(7/.test(form),
);
const damage: fc.Arbitrary<Damage[]> = fc.array(
  fc.oneof(
    fc.record({ what: fc.constant('drop' as const), at: fc.nat(999), lines: fc.integer({ min: 1, max: 10 }) }),
    fc.record({ what: fc.constant('insert' as const), at: fc.nat(999), form: fc.constantFrom(...datedForms) }),
  ),
  { maxLength: 20 },
);

test('gives the same bytes for a trace with losses in files by thread or CPU, in any order', async () => {
  await fc.assert(
    fc.asyncProperty(
      threads,
      damage,
      fc.constantFrom('thread', 'cpu'),
      fc.boolean(),
      async (run, damages, by, isReversed) => {
        const lines = damaged(
          execute(run).lines.map(({ text }) => text),
          damages,
        )
          .split('\n')
          .filter(Boolean);
        if (!lines.some((line) => line.includes('=>'))) return;
        const whole = await analyzeText(textOf(lines));
        const files = filesBy(by === 'thread' ? threadOf : cpuOf, lines);
        const parts = await analyze(isReversed ? files.reverse() : files);
        expectSound(parts);
        expect(fold(parts, { annotate: true, by: 'thread' })).toBe(fold(whole, { annotate: true, by: 'thread' }));
        expect(gapsOf(parts)).toEqual(gapsOf(whole));
        expect({ ...parts.quality, gaps: [] }).toEqual({ ...whole.quality, gaps: [] });
      },
    ),
    { numRuns: times(50) },
  );
});

/** On perf's clock: time 0 is the second that was read first. */
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

function cpuOf(line: string): string {
  return /\[(\d+)\]/.exec(line)?.[1] ?? 'errors';
}

const textOf = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');
