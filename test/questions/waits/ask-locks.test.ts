/**
 * Locks of a program with known waits: really recorded without Intel PT, and emulated with calls.
 */
import { expect, test } from 'vitest';
import { locksLines } from '../../../cli/commands/locks.js';
import { Locks, locksAnswer } from '../../../src/answers.js';
import { type AnalyzedInput, askLocks, askWaits, type LocksOptions } from '../../../src/index.js';
import { readRecording } from '../../../src/perfdata/read-recording.js';
import { fileOf } from '../../helpers/perf/perf-data.js';
import { fixture, inputOf } from '../../helpers/traces/load.js';
import { traceOf } from '../../helpers/traces/trace-of.js';
import { withEncoded } from '../../waits/helpers/emulated.js';

const recordingOf = (name: string) => readRecording(fileOf(fixture(`waits/${name}.data.gz`)));

async function real(): Promise<AnalyzedInput> {
  const sides = [{ name: 'wakings', recording: await recordingOf('waitlab.wake') }];
  const sampled = await recordingOf('waitlab.proc');
  return { name: 'waitlab.data', sampled, sides, recorded: null, broken: null };
}

async function ask(input: AnalyzedInput, options: LocksOptions): Promise<Locks> {
  return Locks.parse(locksAnswer(await askLocks([input], options)));
}

interface TrueWait {
  readonly tid: number;
  readonly reason: string;
  readonly from: number;
  readonly address: string;
  readonly for: number;
}

function mutexWaits(name: string): TrueWait[] {
  const lines = fixture(`waits/${name}.truth.jsonl.gz`).toString().trim().split('\n');
  return lines.map((line) => JSON.parse(line) as TrueWait).filter(({ reason }) => reason === 'mutex');
}

/** The longest wait of the thread that began within a millisecond after it asked for the lock. */
function found({ slowest }: Locks, { tid, from }: TrueWait): Locks['slowest'][number] | undefined {
  const sinceNs = (start: string) => Math.round(Number(start) * 1e9) - from;
  return slowest.find(({ thread, start }) => thread.tid === tid && sinceNs(start) > -1e5 && sinceNs(start) < 1e6);
}

const ALL = { slowest: 1000 };

test('all waits for mutexes have their address and their holder', async () => {
  const answer = await ask(await real(), ALL);
  const truth = mutexWaits('waitlab');
  expect(truth).toHaveLength(18);
  for (const wait of truth) {
    const own = found(answer, wait);
    expect([own?.address, own?.holderSource]).toEqual([wait.address, 'probe']);
    if (wait.for > 0) expect(own?.holder?.tid).toBe(wait.for);
    const heldNs = (own?.probeNs ?? 0) + (own?.futexNs ?? 0);
    expect(heldNs).toBeGreaterThan(0.9 * (own?.waitedNs ?? 0));
  }
});

test('times of locks and of their holders add up', async () => {
  const { locks, total, slowest } = await ask(await real(), ALL);
  for (const row of [...locks, ...slowest]) {
    const { probeNs, futexNs, passedOnNs, wakeUpNs, unknownNs, waitedNs } = row;
    expect(probeNs + futexNs + passedOnNs + wakeUpNs + unknownNs).toBeCloseTo(waitedNs, 3);
    expect(row.holders.reduce((sum, { heldNs }) => sum + heldNs, 0)).toBeCloseTo(probeNs + futexNs, 3);
    for (const { heldNs, ranNs, blockedNs, preemptedNs } of row.holders)
      expect(ranNs + blockedNs + preemptedNs).toBeCloseTo(heldNs, 3);
  }
  const mutexes = locks.filter(({ isLock }) => isLock);
  expect(mutexes.map(({ convoy }) => convoy)).toEqual([1, 3, 1, 1]);
  expect(total.waitedNs).toBeCloseTo(
    mutexes.reduce((sum, { waitedNs }) => sum + waitedNs, 0),
    3,
  );
  expect(total.unknownNs).toBe(0);
});

test('one lock can be asked for, and threads can be selected', async () => {
  const [lock] = (await ask(await real(), {})).locks.filter(({ isLock }) => isLock);
  const one = await ask(await real(), { address: lock?.address ?? '' });
  expect(one.locks).toEqual([lock]);
  const customers = locksAnswer(await askLocks([await real()], {}, { select: { comm: /^customer$/ } }));
  expect(customers.locks.filter(({ isLock }) => isLock)).toEqual([lock]);
  await expect(ask(await real(), { address: 'here' })).rejects.toThrow('here is not an address');
});

test('what a recording without its wakings lacks is said, and nothing else is claimed', async () => {
  const input = await real();
  const alone = { ...input, sides: [{ name: 'X.wakes.data', recording: null }] } as never;
  const { missing, locks } = await ask(alone, {});
  const isSaid = ({ what }: { readonly what: string }) => what.includes('X.wakes.data is missing');
  expect(missing.filter(isSaid)).toHaveLength(1);
  const full = await ask(input, {});
  const mutex = locks.find(({ kind, wakers }) => kind === 'mutex' && wakers.every((waker) => waker.kind === 'thread'));
  expect((await ask(alone, { address: mutex?.address ?? '' })).missing.filter(isSaid)).toEqual([]);
  expect(locks.map(({ waits }) => waits)).toEqual(full.locks.map(({ waits }) => waits));
});

/** The longest waits stand before the table of locks. */
function afterLongest(lines: readonly string[]): string | undefined {
  const at = lines.indexOf('longest waits for locks:');
  expect(lines.findIndex((line) => line.includes('threads at once'))).toBeGreaterThan(at);
  return lines[at + 1];
}

test('a sentence says for whom a thread waited', async () => {
  const answer = await ask(await real(), { slowest: 1 });
  expect(afterLongest(locksLines(answer, { width: 120, top: 0, address: null }))).toBe(
    'at 6083.031049312 customer 7558 waited 18.3 ms (mutex 0x5620a494c540) for teller 7557, which held it 18.2 ms and was blocked >99.9 % of it; ran 79.7 µs after it was woken',
  );
});

const CALLS = traceOf(`
  1/0     call             thread    transfer
  2/0     call             thread    read_balance
  1/1000  call             transfer  rest
  2/2000  call             read_balance  pthread_mutex_lock
  2/2100  tr end  syscall  pthread_mutex_lock
  2/2200  PERF_RECORD_SWITCH OUT
  1/3000  tr end  syscall  rest
  1/3100  PERF_RECORD_SWITCH OUT
  1/8000  PERF_RECORD_SWITCH IN
  1/8100  tr strt                rest
  1/9000  return           rest  transfer
  1/9100  call             transfer  pthread_mutex_unlock
  1/9150  tr end  syscall  pthread_mutex_unlock
  2/9300  PERF_RECORD_SWITCH IN
  1/9400  tr strt                pthread_mutex_unlock
  1/9500  return           pthread_mutex_unlock  transfer
  2/9600  tr strt                pthread_mutex_lock
  2/9700  return           pthread_mutex_lock  read_balance
  2/9800  return           read_balance  thread
  1/9900  return           transfer  thread`);
const hex = (value: number) => `0x${value.toString(16).padStart(8, '0')}`;
const futex = (tid: number, ns: number, op: number, val: number) => {
  const fields = { uaddr: 0x5000, op, val, utime: 0, uaddr2: 0, val3: 0 };
  const texts = Object.entries(fields).map(([name, value]) => `${name}: ${hex(value)}`);
  return `${tid} [000] 1.00000${ns}: syscalls:sys_enter_futex: ${texts.join(', ')}`;
};
const SAMPLES = [
  futex(2, 2100, 0x80, 2),
  futex(1, 9150, 0x81, 1),
  '1 [000] 1.000009200: sched:sched_waking: comm=two pid=2 prio=120 target_cpu=000',
];

test('with calls, what the holder did while another thread waited is known', async () => {
  const answer = await ask(inputOf([CALLS.trimEnd(), ...SAMPLES, ''].join('\n')), { slowest: 1 });
  const [lock] = answer.locks;
  expect([lock?.address, lock?.kind, lock?.waits, lock?.waitedNs]).toEqual(['0x5000', 'mutex', 1, 7100]);
  expect([lock?.futexNs, lock?.wakeUpNs, lock?.passedOnNs, lock?.unknownNs]).toEqual([6950, 100, 50, 0]);
  expect(lock?.places.map((place) => [place.function?.name, place.call?.name])).toEqual([
    ['read_balance', 'pthread_mutex_lock'],
  ]);
  const [holder, ...others] = lock?.holders ?? [];
  expect(others).toEqual([]);
  expect([holder?.function?.name, holder?.heldNs, holder?.ranNs, holder?.blockedNs]).toEqual([
    'transfer',
    6950,
    2050,
    4900,
  ]);
  expect(holder?.spots.map(({ path, ns }) => [path.map(({ name }) => name).slice(-3), ns])).toEqual([
    [['transfer', 'rest', '[off-cpu]'], 4900],
    [['thread', 'transfer', 'rest'], 1900],
  ]);
  expect(afterLongest(locksLines(answer, { width: 150, top: 0, address: null }))).toBe(
    'at 1.000002200 two 2 waited 7.1 µs in read_balance (mutex 0x5000) for 1, which held it 6.95 µs and waited in rest; ran 100 ns after it was woken',
  );
});

test('locks at one address in several processes are told apart', async () => {
  const answer = await ask(inputOf([CALLS.trimEnd(), ...SAMPLES, ''].join('\n')), {});
  const textOf = (locks: typeof answer.locks) =>
    locksLines({ ...answer, locks }, { width: 150, top: 0, address: null }).join('\n');
  const forked = answer.locks.flatMap((lock) => [lock, { ...lock, pid: 77 }]);
  expect(textOf(forked)).toMatch(/ address {2}process +held most by .*\n.* 0x5000 +– .*\n.* 0x5000 +77 /);
  expect(textOf(forked)).toContain('mutex 0x5000 of process 77: ');
  expect(textOf(answer.locks)).not.toContain('process');
});

test('what is unknown of waits that had not ended is said', async () => {
  const waiting = CALLS.split('\n').filter((line) => !/^2 .* 1\.000009/.test(line));
  const answer = await ask(inputOf([waiting.join('\n').trimEnd(), futex(2, 2100, 0x80, 2), ''].join('\n')), {});
  const [lock] = answer.locks;
  expect(answer.total).toMatchObject({ waits: 1, openWaits: 1, waitedNs: 7700, unknownNs: 7700, openNs: 7700 });
  expect([lock?.openNs, lock?.longestOpenNs, lock?.maxNs]).toEqual([7700, 7700, null]);
  const text = locksLines(answer, { width: 150, top: 0, address: null }).join('\n');
  expect(text).toContain('unknown 100 % (100 % in 1 wait that had not ended)');
  expect(text).toContain('≥ 7.7 µs');
});

test('a wait is known only until the recording of its thread ended, even if others were recorded longer', async () => {
  const late = '9 [000] 2.500000000: sched:sched_waking: comm=nine pid=10 prio=120 target_cpu=000';
  const asleep = ['1 [000] 1.000009950: PERF_RECORD_SWITCH OUT', late];
  const answer = await ask(inputOf([CALLS.trimEnd(), ...SAMPLES, ...asleep, ''].join('\n')), {});
  expect(answer.trace).toMatchObject({ start: '1.000000000', durationNs: 9950 });
});

test.each(['queue_pop', 'queue_push', 'await_reply', 'writer'])(
  'waits inside %s alone are as many as the question about waits finds there',
  async (inside) => {
    const all = await withEncoded('cpus-2', (encoded) => ask(encoded, {}));
    const own = await withEncoded('cpus-2', (encoded) => ask(encoded, { inside, slowest: 100 }));
    const waits = await withEncoded('cpus-2', (encoded) => askWaits([encoded], { inside }));
    expect([all.inside, own.inside?.calls]).toEqual([null, waits.inside?.calls]);
    expect(own.locks.length).toBeLessThan(all.locks.length);
    for (const { reason, stats } of waits.reasons.filter(({ reason }) => OBJECTS.includes(reason))) {
      const rows = own.locks.filter(({ kind }) => kind === reason);
      expect(
        rows.reduce((sum, row) => sum + row.waits, 0),
        reason,
      ).toBe(stats.waits);
      expect(
        rows.reduce((sum, { waitedNs }) => sum + waitedNs, 0),
        reason,
      ).toBeCloseTo(stats.totalNs, 3);
    }
    expect(own.slowest.length).toBe(
      own.locks.reduce((sum, { kind, waits }) => sum + (kind === 'mutex' ? waits : 0), 0),
    );
  },
);

const OBJECTS = ['mutex', 'rwlock', 'condition', 'barrier', 'semaphore', 'futex'];
