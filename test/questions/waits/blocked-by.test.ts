/**
 * Blocked time as a profile, and wakers by their functions: a customer waits for a lock that a teller holds.
 */
import { expect, test } from 'vitest';
import { waitsAnswer } from '../../../src/answers.js';
import {
  type AnalyzedInput,
  type AnalyzeOptions,
  askWaits,
  type Profile,
  profileBlockedTime,
  renderFolded,
} from '../../../src/index.js';
import { inputOf } from '../../helpers/traces/load.js';
import { traceOf } from '../../helpers/traces/trace-of.js';
import { withEncoded } from '../../waits/helpers/emulated.js';

/** `before`: the line of an earlier call. */
const customer = (caller: string, before = '') =>
  traceOf(`${before}
  1/100  call             ${caller}           read_balance
  1/110  call             read_balance        pthread_mutex_lock
  1/120  tr end  syscall  pthread_mutex_lock
  1/125  PERF_RECORD_SWITCH OUT
  1/212  PERF_RECORD_SWITCH IN
  1/220  tr strt                              pthread_mutex_lock
  1/230  return           pthread_mutex_lock  read_balance
  1/240  return           read_balance        ${caller}`);

const CUSTOMER = customer('main');

const TELLER = traceOf(`
  2/50   call             main                  transfer
  2/60   call             transfer              crunch
  2/190  return           crunch                transfer
  2/195  call             transfer              pthread_mutex_unlock
  2/200  tr end  syscall  pthread_mutex_unlock
  2/215  tr strt                                pthread_mutex_unlock
  2/230  return           pthread_mutex_unlock  transfer
  2/240  return           transfer              main`);

const futex = (op: string, value: number) =>
  `uaddr: 0x00005000, op: 0x000000${op}, val: 0x0000000${value}, utime: 0x00000000, uaddr2: 0x00000000, val3: 0x00000000`;

/** As perf prints them. */
const SAMPLES = `
  customer 1/1 [000] 1.000000121: syscalls:sys_enter_futex: ${futex('80', 2)}
  teller 1/2 [001] 1.000000201: syscalls:sys_enter_futex: ${futex('81', 1)}
  teller 1/2 [001] 1.000000205: sched:sched_waking: comm=customer pid=1 prio=120 target_cpu=000
`;

const inputs = () => [inputOf(CUSTOMER + TELLER), inputOf(SAMPLES)];

test('a waker is named with the function in which it woke', async () => {
  const { wakers, reasons, wakeUps } = waitsAnswer(await askWaits(inputs(), {}, { extend: false }));
  expect(wakers).toMatchObject([
    {
      kind: 'thread',
      threads: [{ tid: 2, isTraced: true }],
      function: { name: 'transfer' },
      call: { name: 'pthread_mutex_unlock' },
      stats: { waits: 1, totalNs: 87, blockedNs: 80, wakeUpNs: 7 },
    },
  ]);
  expect(reasons.map(({ reason }) => reason)).toEqual(['mutex']);
  expect(wakeUps).toMatchObject({ waits: 1, maxNs: 7 });
});

function linesOf(profile: Profile): string[] {
  const text = [...renderFolded(profile, { minNs: 1 })].join('').trimEnd();
  return text === '' ? [] : text.split('\n').sort();
}

test('what the holder did stands upside down on the stack that waited', async () => {
  const profile = await profileBlockedTime(inputs(), { extend: false });
  const stack = 'main;read_balance;pthread_mutex_lock;';
  expect(linesOf(profile)).toEqual(
    [
      `${stack}-- from waking to running 7`,
      `${stack}-- lock passed on 4`,
      `${stack}-- waits for 2;[syscall];pthread_mutex_unlock;transfer;main 1`,
      `${stack}-- waits for 2;crunch;transfer;main 65`,
      `${stack}-- waits for 2;pthread_mutex_unlock;transfer;main 5`,
      `${stack}-- waits for 2;transfer;main 5`,
    ].sort(),
  );
});

test('losses count where they are in threads that were blocked', async () => {
  const other = traceOf(`
    3/100  call  main  work
    3/110  error
    3/150  call  main  work
    3/160  return  work  main`);
  const { threads, quality } = await profileBlockedTime([...inputs(), inputOf(other)], { extend: false });
  expect(threads.map(({ tid }) => tid)).toEqual([1]);
  expect(quality).toMatchObject({ gaps: [], losses: [], threadsCut: 0, lostNs: 0 });
});

type Window = NonNullable<AnalyzeOptions['window']>;

const between = (from: number | null, to: number | null): Window => {
  const moment = (ns: number | null) => (ns === null ? null : { afterStartNs: ns });
  return { from: moment(from), to: moment(to) };
};

/** The recording begins at 50 ns. */
const blockedIn = (selection: AnalyzeOptions) => profileBlockedTime(inputs(), { extend: false, ...selection });

test('in a window, only its part of a wait counts; for whom it was is concluded from all of the recording', async () => {
  const stack = 'main;read_balance;pthread_mutex_lock;';
  const profile = await blockedIn({ window: between(130, 152) });
  expect(linesOf(profile)).toEqual(
    [
      `${stack}-- lock passed on 1`,
      `${stack}-- waits for 2;[syscall];pthread_mutex_unlock;transfer;main 1`,
      `${stack}-- waits for 2;crunch;transfer;main 10`,
      `${stack}-- waits for 2;pthread_mutex_unlock;transfer;main 5`,
      `${stack}-- waits for 2;transfer;main 5`,
    ].sort(),
  );
  expect(profile.meta.part).toBe('blocked time, by the threads waited for, from +130 ns to +152 ns');
  const [{ tree }] = profile.threads as [Profile['threads'][0]];
  expect([tree.calls, tree.inferredCalls].map((column) => column.reduce((sum, calls) => sum + calls, 0))).toEqual([
    2, 2,
  ]);
  expect(linesOf(await blockedIn({ window: between(152, 156) }))).toEqual([
    `${stack}-- from waking to running 1`,
    `${stack}-- lock passed on 3`,
  ]);
  expect(linesOf(await blockedIn({ window: between(162, null) }))).toEqual([]);
});

/** The customer also makes short calls in which it does not wait. */
const withShortCalls = () => {
  const more = traceOf(`
    1/250  call    main          crunch
    1/255  return  crunch        main
    1/260  call    main          transfer
    1/265  return  transfer      main
    1/270  call    main          read_balance
    1/280  return  read_balance  main`);
  return [inputOf(CUSTOMER + more + TELLER), inputOf(SAMPLES)];
};

test.each<[string, AnalyzeOptions, number, string]>([
  ['within a function', { inside: [{ functions: 'read_balance' }] }, 87, 'main;read_balance'],
  ['within calls of that duration', { inside: [{ functions: 'read_balance', minNs: 140 }] }, 87, 'main;read_balance'],
  ['not within longer calls', { inside: [{ functions: 'read_balance', maxNs: 139 }] }, 0, ''],
  ['not within another function', { inside: [{ functions: 'crunch' }] }, 0, ''],
  [
    'not within calls of that duration of another function',
    { inside: [{ functions: /^(read_balance|crunch)$/, minNs: 5, maxNs: 10 }] },
    0,
    '',
  ],
  ['not within only one of two functions', { inside: [{ functions: 'main' }, { functions: 'crunch' }] }, 0, ''],
  ['not within only the other one', { inside: [{ functions: 'crunch' }, { functions: 'main' }] }, 0, ''],
  ['below a root', { root: 'read_balance' }, 87, 'read_balance;pthread_mutex_lock'],
  ['not below another root', { root: /^(crunch|transfer)$/ }, 0, ''],
])('time blocked %s', async (_, selection, ns, stack) => {
  const lines = linesOf(await profileBlockedTime(withShortCalls(), { extend: false, ...selection }));
  expect(lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0)).toBe(ns);
  for (const line of lines) expect(line.startsWith(`${stack};`)).toBe(true);
  if (ns > 0) expect(lines).toContainEqual(expect.stringContaining('-- waits for 2;crunch;transfer;main 65'));
});

/** The customer is in the selection even if its wait is not. */
const CRUNCHED = traceOf(`
  1/250  call    read_balance  crunch
  1/255  return  crunch        read_balance`);

test('direct recursion is one frame, of waiters and of holders', async () => {
  const text = `${customer('read_balance', '1/90 call main read_balance')}${CRUNCHED}${TELLER.replaceAll('main', 'transfer')}`;
  const stacks = async (selection: AnalyzeOptions) => {
    const profile = await profileBlockedTime([inputOf(text), inputOf(SAMPLES)], { extend: false, ...selection });
    return linesOf(profile).map((line) => line.replace(/ \d+$/, ''));
  };
  const twice = await stacks({});
  expect(twice).toContain('main;read_balance;read_balance;pthread_mutex_lock;-- waits for 2;crunch;transfer;transfer');
  const once = await stacks({ foldRecursion: true });
  expect(once).toContain('main;read_balance;pthread_mutex_lock;-- waits for 2;crunch;transfer');
  expect(once).toHaveLength(twice.length);
  const rooted = await stacks({ root: 'read_balance' });
  expect(rooted).toEqual(twice.map((line) => line.replace('main;', '')));
  // The inner call lasted 140 ns; the end of the outer one was not seen.
  const inside = [{ functions: /read_balance|crunch/, maxNs: 140 }];
  expect(await stacks({ inside })).toEqual(twice);
  expect(await stacks({ inside, foldRecursion: true })).toEqual([]);
});

test('adjacent windows add up to the whole, path by path', () =>
  withEncoded('cpus-2', async (input: AnalyzedInput) => {
    const sums = async (window?: Window) => {
      const lines = linesOf(await profileBlockedTime([input], { jobs: 1, ...(window && { window }) }));
      return lines.map(
        (line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))] as const,
      );
    };
    const added = new Map<string, number>();
    const cuts = [null, 12_345_678, 41_234_567, null];
    for (let at = 1; at < cuts.length; at++)
      for (const [path, ns] of await sums(between(cuts[at - 1] ?? null, cuts[at] ?? null)))
        added.set(path, (added.get(path) ?? 0) + ns);
    const whole = await sums();
    expect(whole.length).toBeGreaterThan(50);
    expect([...added].sort()).toEqual(whole.sort());
  }));
