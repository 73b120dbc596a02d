/**
 * How clocks of hosts are related by what they sent each other.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addSentIds, clockOffsetOf, HostClocks, noSentIds } from '../../../src/waits/host-clocks.js';
import { HostIds } from '../../../src/waits/host-flows.js';
import type { Moments } from '../../../src/waits/moments.js';

/** A clock in true time. */
interface Clock {
  readonly startNs: number;
  readonly ppm: number;
}

const timeOn = ({ startNs, ppm }: Clock, trueNs: number) => Math.round(startNs + trueNs * (1 + ppm * 1e-6));
const trueTimeOf = ({ startNs, ppm }: Clock, ns: number) => (ns - startNs) / (1 + ppm * 1e-6);

interface Message {
  readonly id: string;
  readonly from: number;
  readonly to: number;
  readonly sentNs: number;
  readonly delayNs: number;
}

function momentsOf(rows: readonly (readonly [ns: number, id: string])[]): Moments {
  const sorted = rows.toSorted(([a], [b]) => a - b);
  return {
    length: sorted.length,
    timeNs: Float64Array.from(sorted, ([ns]) => ns),
    tid: new Int32Array(sorted.length),
    pid: new Int32Array(sorted.length),
    key: sorted.map(([, id]) => id),
  };
}

/** `isLost`: whether the sample of a message is missing where it was sent (0) or taken (1). */
function clocksOf(
  clocks: readonly Clock[],
  messages: readonly Message[],
  isLost = (_row: number, _side: 0 | 1) => false,
) {
  const rowsOf = (host: number, side: 0 | 1) =>
    messages.flatMap(({ id, from, to, sentNs, delayNs }, row): [number, string][] => {
      if ((side === 0 ? from : to) !== host || isLost(row, side)) return [];
      return [[timeOn(clocks[host], side === 0 ? sentNs : sentNs + delayNs), id]];
    });
  const sent = noSentIds(clocks.length);
  const pushes = clocks.map((_, host) => momentsOf(rowsOf(host, 0)));
  const pops = clocks.map((_, host) => momentsOf(rowsOf(host, 1)));
  addSentIds(pushes, pops, sent);
  return new HostClocks(sent);
}

const clock = fc.record({
  startNs: fc.integer({ min: 0, max: 1e14 }),
  ppm: fc.double({ min: -200, max: 200, noNaN: true }),
});
const message = (hosts: number) =>
  fc.record({
    from: fc.nat(hosts - 1),
    hop: fc.integer({ min: 1, max: hosts - 1 }),
    sentNs: fc.integer({ min: 0, max: 10e9 }),
    delayNs: fc.integer({ min: 1_000, max: 1_000_000 }),
    lost: fc.nat(5),
  });

describe('the clock of another host', () => {
  test('is ahead by an offset within the bounds shown, whatever was lost', () => {
    const hosts = 3;
    fc.assert(
      fc.property(
        fc.array(clock, { minLength: hosts, maxLength: hosts }),
        fc.array(message(hosts), { minLength: 1, maxLength: 60 }),
        (clocks, drawn) => {
          const messages = drawn.map(({ from, hop, ...rest }, row) => {
            return { ...rest, from, to: (from + hop) % hosts, id: `id${row}` };
          });
          const related = clocksOf(clocks, messages, (row, side) => drawn[row].lost === side);
          for (let host = 0; host < hosts; host++) {
            const root = related.rootOf(host);
            for (const trueNs of [0, 3e9, 10e9]) {
              const ns = timeOn(clocks[host], trueNs);
              const errorNs = related.errorNs(host, root, ns);
              const trueCommonNs = timeOn(clocks[root], trueTimeOf(clocks[host], ns));
              if (Number.isFinite(errorNs))
                expect(Math.abs(related.common(host, ns) - trueCommonNs)).toBeLessThanOrEqual(errorNs + 3);
            }
            expect(related.offsetOf(host).contradictions).toBe(0);
          }
        },
      ),
    );
  });

  const both = (count: number, changed: (row: number) => Partial<Message> = () => ({})): Message[] =>
    Array.from({ length: count }, (_, row) => {
      const [from, to] = row % 2 === 0 ? [0, 1] : [1, 0];
      return { id: `${row}`, from, to, sentNs: row * 1e6, delayNs: 10_000 + (row % 7) * 1_000, ...changed(row) };
    });
  const CLOCKS = [
    { startNs: 0, ppm: 0 },
    { startNs: 1_234_000, ppm: 0 },
  ];

  test('is known to half the shortest time there and back', () => {
    const related = clocksOf(CLOCKS, both(200));
    const { to, lowNs, highNs, handOffs, contradictions } = related.offsetOf(1);
    expect([to, handOffs, contradictions]).toEqual([0, 200, 0]);
    expect((lowNs + highNs) / 2).toBeCloseTo(1_234_000, -2);
    expect((highNs - lowNs) / 2).toBeCloseTo(10_000, -2);
    expect(related.errorNs(1, 0, 100e6)).toBe(related.errorNs(0, 1, 100e6 - 1_234_000));
  });

  test('may run faster', () => {
    const drifting = [CLOCKS[0], { startNs: 1_234_000, ppm: 50 }];
    const related = clocksOf(drifting, both(2_000)); // 100 µs ahead at the end, which is more than the delays
    expect(related.offsetOf(1).contradictions).toBe(0);
    for (const trueNs of [0, 1e9, 2e9]) {
      expect(Math.abs(related.common(1, timeOn(drifting[1], trueNs)) - trueNs)).toBeLessThan(1_000);
      expect(related.errorNs(1, 0, trueNs)).toBeLessThan(13_000);
    }
  });

  test('is bounded from one side, if nothing came back', () => {
    const out = clocksOf(
      CLOCKS,
      both(20).filter(({ from }) => from === 0),
    );
    expect(out.offsetOf(1)).toMatchObject({ lowNs: Number.NEGATIVE_INFINITY, highNs: 1_244_000, handOffs: 10 });
    expect(out.common(1, 2_000_000)).toBe(756_000); // as early as it can be
    expect(out.errorNs(1, 0, 0)).toBe(Number.POSITIVE_INFINITY);
    const back = clocksOf(
      CLOCKS,
      both(20).filter(({ from }) => from === 1),
    );
    expect(back.offsetOf(1)).toMatchObject({ lowNs: 1_224_000, highNs: Number.POSITIVE_INFINITY });
    expect(back.common(1, 2_000_000)).toBe(776_000);
  });

  test('is a clock of its own, if they have no id in common', () => {
    const related = clocksOf(CLOCKS, []);
    expect([0, 1].map((host) => related.rootOf(host))).toEqual([0, 1]);
    expect(related.common(1, 2_000_000)).toBe(2_000_000);
    expect(related.offsetOf(1)).toMatchObject({ to: 1, handOffs: 0 });
  });

  test('has the offset that most hand-offs allow, and others are counted', () => {
    const wrong = (row: number) => (row % 20 === 4 ? { delayNs: -500_000 } : {});
    const related = clocksOf(CLOCKS, both(200, wrong));
    const { lowNs, highNs, handOffs, contradictions } = related.offsetOf(1);
    expect([handOffs, contradictions]).toEqual([190, 10]);
    expect(lowNs).toBeLessThanOrEqual(1_234_000);
    expect(highNs).toBeGreaterThanOrEqual(1_234_000);
  });

  test('contradicts itself if its speed changes', () => {
    const jump = both(100).map((each) => ({ ...each, sentNs: each.sentNs % 50e6 }));
    const [first, second] = [jump.slice(0, 50), jump.slice(50)];
    const sent = noSentIds(2);
    for (const [part, startNs] of [
      [first, 0],
      [second, 900_000],
    ] as const)
      for (const { from, to, sentNs, delayNs } of part) {
        sent[from][to].sentNs.push(sentNs + (from === 1 ? startNs : 0));
        sent[from][to].takenNs.push(sentNs + delayNs + (to === 1 ? startNs : 0));
      }
    expect(new HostClocks(sent).offsetOf(1).contradictions).toBeGreaterThan(0);
  });

  test('is known through other hosts, with the errors of both', () => {
    const clocks = [...CLOCKS, { startNs: 9e9, ppm: 0 }];
    const chain = both(40).flatMap((each) => [
      each,
      { ...each, id: `c${each.id}`, from: each.from + 1, to: each.to + 1 },
    ]);
    const related = clocksOf(clocks, chain);
    const errors = [1, 2].map((host) => related.errorNs(host, 0, timeOn(clocks[host], 20e6)));
    expect(errors[1]).toBeCloseTo(2 * errors[0], -2);
    expect(Math.abs(related.common(2, timeOn(clocks[2], 20e6)) - 20e6)).toBeLessThanOrEqual(errors[1]);
  });
});

describe('ids', () => {
  test('that are seen twice do not relate clocks', () => {
    const sent = noSentIds(2);
    const once = [
      [10, 'a'],
      [30, 'b'],
      [50, ''],
    ] as const;
    addSentIds([momentsOf([...once, [20, 'a']]), momentsOf([])], [momentsOf([]), momentsOf(once)], sent);
    expect(sent[0][1]).toEqual({ sentNs: [30], takenNs: [30] });
    expect(sent[1][0].sentNs).toEqual([]);
  });

  test('of threads on several hosts are distinct, and those of one host are its own', () => {
    const several = new HostIds(2);
    const ids = [several.idOf(0, 7), several.idOf(1, 7), several.idOf(0, 7), several.idOf(1, -1)];
    expect(new Set(ids).size).toBe(3);
    expect(ids.map((id) => [several.hostOf(id), several.numberOf(id)])).toEqual([
      [0, 7],
      [1, 7],
      [0, 7],
      [1, -1],
    ]);
    const only = new HostIds(1);
    expect([only.idOf(0, 7), only.hostOf(7), only.numberOf(7)]).toEqual([7, 0, 7]);
  });
});

test('an offset has no bounds that are not there', () => {
  const { at, contradictions } = clockOffsetOf({ atNs: [5, 9], offsetNs: [3, 8], isUpper: [true, false] });
  expect(contradictions).toBe(1);
  expect([at(5), at(9)].flatMap(({ lowNs, highNs }) => [lowNs, highNs]).filter(Number.isFinite)).toHaveLength(2);
});
