/**
 * The report of many threads is made while it is written: a thread is summed up when it is read.
 */
import { expect, test } from 'vitest';
import type { Profile } from '../../../src/model/profile/profile.js';
import { reportOf, streamedReport } from '../../../src/questions/report/answer.js';
import { analyzeText } from '../../helpers/traces/load.js';
import { traceOf } from '../../helpers/traces/trace-of.js';

const TWO_THREADS = traceOf(`
  1/1000  call    main  coder
  1/9000  return  coder main
  2/1000  call    main  leaf
  2/3000  return  leaf  main`);

/** Counts the threads whose durations were read. */
function watched(profile: Profile): { profile: Profile; read: () => number } {
  let read = 0;
  const threads = profile.threads.map((thread) => ({
    ...thread,
    get durations() {
      read++;
      return thread.durations;
    },
  }));
  return { profile: { ...profile, threads }, read: () => read };
}

test('sums up a thread when it is read, the same each time', async () => {
  const { profile, read } = watched(await analyzeText(TWO_THREADS, { trees: 'apart', durations: true }));
  const { threads } = streamedReport(profile, { threads: true });
  const before = read();
  for (const _ of threads ?? []) break;
  expect(read()).toBe(before + 1);
  expect([...(threads ?? [])]).toEqual(reportOf(profile, { threads: true }).threads);
  expect([...(threads ?? [])]).toHaveLength(2);
});
