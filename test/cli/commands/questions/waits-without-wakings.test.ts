/**
 * `ptflame waits` where no wakings were recorded.
 */
import { describe, expect } from 'vitest';
import { WaitsAnswer } from '../../../../src/answers.js';
import { fixturePath, ptflame, test } from '../../../helpers/cli/run-cli.js';

const ARGS = ['waits', fixturePath('waits/group-commit.txt.gz'), '--quiet'];

describe.concurrent('waits without wakings', () => {
  test('are shown with candidates from calls alone, which explain nothing', async () => {
    const answer = JSON.parse((await ptflame([...ARGS, '--slowest', '1', '--json'])).stdout);
    expect(WaitsAnswer.parse(answer)).toEqual(answer);
    expect(answer.candidates.length).toBeGreaterThan(0);
    for (const { kind, isCandidate } of answer.candidates) expect([kind, isCandidate]).toEqual(['thread', true]);
    const [notSeen, open] = answer.wakers;
    expect([notSeen.kind, open.kind, answer.wakers.length]).toEqual(['not-seen', 'open', 2]);
    expect(answer.stats.unexplainedNs).toBe(notSeen.stats.blockedNs + answer.stats.unknownNs);
    const kinds = answer.slowest[0].path.map(({ kind }: { kind: string }) => kind);
    expect(kinds).not.toContain('maybe-thread');
  });

  test('are printed with candidates marked', async () => {
    const lines = (await ptflame(ARGS)).stdout.split('\n');
    const title = lines.findIndex((line) => line.endsWith('waker, from calls alone'));
    expect(title).toBeGreaterThan(0);
    expect(lines[title + 1]).toMatch(/ {2}maybe \d+/);
  });
});
