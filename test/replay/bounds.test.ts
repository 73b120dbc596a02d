/**
 * Replay handles stacks of any depth.
 */
import { describe, expect, test } from 'vitest';
import { viewOf } from '../../src/model/calls/tree-view.js';
import { expectSound } from '../helpers/checks/sound.js';
import { analyzeText, fold } from '../helpers/traces/load.js';
import { TraceWriter, times } from '../helpers/traces/trace-writer.js';

describe('a recursion of 30,000 levels', { timeout: 180_000 }, () => {
  const DEEP = 30_000; // more than the JavaScript stack can hold

  test('is called and returned from', async () => {
    const { tree, depth } = await replay((trace) => {
      times(DEEP, () => trace.call(1, 1));
      times(DEEP, () => trace.return(1, 1));
    });
    expect(depth).toBe(DEEP + 1);
    expect(sum(tree.calls)).toBe(DEEP + 1);
    expect(sum(tree.inferredCalls)).toBe(1); // the one that ran at the beginning
  });

  test('never returns', async () => {
    const { tree, depth } = await replay((trace) => times(DEEP, () => trace.call(1, 1)));
    expect(depth).toBe(DEEP + 1);
    expect(sum(tree.inferredCalls)).toBe(DEEP + 1);
  });

  test('returns without having been called', async () => {
    const { tree, depth } = await replay((trace) => times(DEEP, () => trace.return(1, 1)));
    expect(depth).toBe(DEEP + 1);
    expect(sum(tree.inferredCalls)).toBe(DEEP + 1);
  });

  test('jumps at every level, and the jumps are hidden', async () => {
    const { depth, quality } = await replay((trace) => {
      times(DEEP, (level) => trace.call(level === 0 ? 1 : 2, 1));
      times(DEEP, (level) => trace.return(3, level === DEEP - 1 ? 1 : 2));
    });
    expect(depth).toBe(2 * DEEP + 1); // and from the innermost function to f3
    expect(quality.inferredCalls.HiddenJump).toBe(2 * DEEP - 1);
  });

  test('has a loss in the middle', async () => {
    const { tree, depth, quality } = await replay((trace) => {
      times(DEEP, () => trace.call(1, 1));
      trace.error();
      trace.start(1);
      times(DEEP, () => trace.return(1, 1));
    });
    expect(depth).toBe(DEEP + 2); // with [lost] on top
    expect(sum(tree.calls)).toBe(DEEP + 2); // each level once
    expect(quality.lostNs).toBe(1);
  });

  test('is rendered', async () => {
    const levels = 3000; // the text grows with the square
    const { profile } = await replay((trace) => times(levels, () => trace.call(1, 1)));
    const lines = fold(profile).trimEnd().split('\n');
    expect(lines).toHaveLength(levels + 1);
    expect(lines.at(-1)).toBe(
      `${Array(levels + 1)
        .fill('f1')
        .join(';')} 0`,
    );
  });
});

async function replay(write: (trace: TraceWriter) => void) {
  const trace = new TraceWriter();
  write(trace);
  const profile = await analyzeText(trace.text);
  expectSound(profile);
  const { tree } = profile.threads[0];
  const depth = viewOf(tree).depth.reduce((deepest, of) => Math.max(deepest, of), 0);
  return { profile, tree, depth, quality: profile.quality };
}

const sum = (values: Float64Array) => values.reduce((total, value) => total + value, 0);
