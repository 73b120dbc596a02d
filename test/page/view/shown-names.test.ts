/**
 * Tests how the page names what is no function, in searches and links, too.
 */
import { expect, test } from 'vitest';
import { averageText, inferredCalls, starredCalls } from '../../../src/page/view/captions/counts.js';
import { shownNames } from '../../../src/page/view/shown-names.js';
import { formatHash, parseHash, START } from '../../../src/page/view/state.js';
import { symbolOf, viewsOf } from '../../helpers/browser/page-views.js';
import { analyzeText, fixture } from '../../helpers/traces/load.js';

test('stops and waits have no brackets and signs, functions of the same name do', () => {
  const kind = [2, 2, 2, 0, 0] as const;
  const name = ['[off-cpu]', '-- waits for bob', '-- waits for [interrupt]', '[off-cpu]', '-- a\u0007'];
  expect(shownNames({ name, kind })).toEqual({
    names: ['off CPU', 'waits for bob', 'waits for a timer or device', '[off-cpu]', '-- a\\x07'],
    renamed: [0, 1, 2],
  });
});

test('a search and a link find them by both names; links have the one of files', async () => {
  const views = viewsOf(await analyzeText(fixture('lab/thread-create-switch-migrate.txt')));
  const offCpu = symbolOf(views, 'off CPU');
  for (const search of ['off CPU', '[off-cpu]', '/^off cpu$/', '/^\\[off/'])
    expect(views.namesAt({ ...START, search }).isMatch?.[offCpu], search).toBe(true);
  expect(views.namesAt({ ...START, search: 'main' }).isMatch?.[offCpu]).toBe(false);
  for (const word of ['off CPU', '[off-cpu]'])
    expect(parseHash(`#hide=${encodeURIComponent(word)}`, views.linkNames).state.hidden, word).toEqual([offCpu]);
  expect(decodeURIComponent(formatHash({ ...START, hidden: [offCpu] }, views.linkNames))).toBe('#hide=[off-cpu]');
});

test('counts with inferred calls have a star, and their average is a lower bound', () => {
  expect([starredCalls(5, 1), starredCalls(1234, 0), starredCalls(0, 0)]).toEqual(['5*', '1,234', '–']);
  expect([inferredCalls(5, 1), inferredCalls(5, 0)]).toEqual(['4 complete, 1 inferred', '']);
  const average = (calls: number, inferred: number, totalNs: number, avgNs: number, longestCutNs: number) =>
    averageText({ calls, inferred, totalNs, avgNs, longestCutNs });
  expect(average(4, 0, 40, 10, Number.NaN)).toBe('10 ns');
  expect(average(5, 1, 47, 10, 7)).toBe('≥ 9 ns');
  expect(average(1, 1, 166, Number.NaN, 166)).toBe('≥ 166 ns');
  expect(average(2, 1, 1000, 10, 20)).toBe('≥ 15 ns'); // after a loss, calls are not known to have gone on
  expect(average(1, 1, 0, Number.NaN, Number.NaN)).toBe('–');
});
