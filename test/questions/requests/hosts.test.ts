/**
 * Requests of several hosts, whose clocks differ.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AnalyzeOptions } from '../../../src/pipeline/analyze.js';
import { requestsAnswer } from '../../../src/questions/requests/answer.js';
import { askRequests, type RequestsResult } from '../../../src/questions/requests/ask-requests.js';
import type { RequestsOptions } from '../../../src/questions/requests/request-question.js';
import { fixture, inputOf } from '../../helpers/traces/load.js';
import { HostText, type Rpc, writeClient, writeServer } from './helpers/host-text.js';

const CLIENT = [100, 101] as const;
/** Threads of two hosts may have the same number. */
const SERVER = [100, 101] as const;
const OFFSET_NS = 3_000_001_234;
const FLOWS = [{ push: 'send:id', pop: 'recv:id' }];

interface Delays {
  readonly outNs: number;
  readonly backNs: number;
}

const rpcAt = (row: number, { outNs, backNs }: Delays): Rpc => {
  const askNs = 1_000_000_000 + row * 200_000;
  const receivedNs = askNs + 100 + outNs;
  const repliedNs = receivedNs + 20_000 + (row % 5) * 1_000;
  return { id: `a${row}`, askNs, receivedNs, repliedNs, answeredNs: repliedNs + backNs };
};

const rpcs = (count: number, delays: (row: number) => Delays = () => ({ outNs: 5_000, backNs: 8_000 })) =>
  Array.from({ length: count }, (_, row) => rpcAt(row, delays(row)));

interface World {
  readonly driftPpm?: number;
  /** What is left out of what a host wrote. */
  readonly isLost?: (line: string, host: number) => boolean;
}

const serverNs = ({ driftPpm = 0 }: World, trueNs: number) => trueNs * (1 + driftPpm * 1e-6) + OFFSET_NS;

function textsOf(requests: readonly Rpc[], world: World = {}): string[] {
  const [client, server] = [new HostText(), new HostText((ns) => serverNs(world, ns))];
  for (const rpc of requests) {
    writeClient(client, CLIENT, rpc);
    writeServer(server, SERVER, rpc);
  }
  const { isLost = () => false } = world;
  return [client, server].map((text, host) => {
    const lines = text.text().split('\n');
    return lines.filter((line) => !isLost(line, host)).join('\n');
  });
}

const ask = (texts: readonly string[], question: Partial<RequestsOptions> = {}, options: AnalyzeOptions = {}) =>
  askRequests(
    texts.map((text, host) => inputOf(text, `host${host}`)),
    {
      root: 'ask',
      flows: FLOWS,
      id: /^00-(\w+)-/,
      hosts: texts.map((_, host) => 'abc'[host]),
      slowest: 999,
      ...question,
    },
    options,
  );

const isRemote = ({ host }: { readonly host: number }) => host === 1;

/** The work of the server, by request in the order of time: on the client's clock, and how much that may be off. */
function workOf({ requests }: RequestsResult) {
  return requests.details
    .toSorted((a, b) => a.startNs - b.startNs)
    .map(({ startNs, parts }) =>
      parts.filter(isRemote).map((part) => ({
        afterNs: part.startNs - startNs,
        ns: part.endNs - part.startNs,
        errorNs: part.errorNs,
        parent: part.parent,
      })),
    );
}

describe('requests of two hosts', () => {
  test('are joined by ids, on clocks that are related by what was sent and came back', async () => {
    const sent = rpcs(20);
    const result = await ask(textsOf(sent));
    expect(result.requests).toMatchObject({ requests: 20, threads: 1, otherThreads: 1 });
    expect(result.requests.joined).toMatchObject({ byKey: 20, notJoined: 0 });
    const { to, lowNs, highNs, handOffs, contradictions } = result.hosts[1].offset;
    expect([to, handOffs, contradictions]).toEqual([0, 40, 0]);
    expect([highNs - OFFSET_NS, OFFSET_NS - lowNs]).toEqual([expect.closeTo(5_000, -1), expect.closeTo(8_000, -1)]);
    for (const [row, parts] of workOf(result).entries()) {
      const { askNs, receivedNs, repliedNs } = sent[row];
      expect(parts).toEqual([
        {
          afterNs: expect.closeTo(receivedNs - askNs + 1_500, -2), // in the middle of what is possible
          ns: repliedNs + 200 - receivedNs,
          errorNs: expect.closeTo(6_500, -2),
          parent: 0,
        },
      ]);
    }
  });

  test('have the right times within the error shown, and exact sums', async () => {
    const delay = fc.integer({ min: 1_000, max: 60_000 });
    const delays = fc.array(fc.record({ outNs: delay, backNs: delay }), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(delays, fc.integer({ min: -100, max: 100 }), async (drawn, driftPpm) => {
        const sent = rpcs(drawn.length, (row) => drawn[row]);
        const result = await ask(textsOf(sent, { driftPpm }));
        expect(result.hosts[1].offset.contradictions).toBe(0);
        for (const [row, parts] of workOf(result).entries()) {
          const { askNs, receivedNs, repliedNs } = sent[row];
          const [{ afterNs, ns, errorNs }, ...others] = parts;
          expect(others).toEqual([]);
          expect(Math.abs(afterNs - (receivedNs - askNs))).toBeLessThanOrEqual(errorNs + 3);
          const [from, to] = [receivedNs, repliedNs + 200].map((at) => Math.round(serverNs({ driftPpm }, at)));
          expect(ns).toBe(to - from);
        }
        for (const { parts } of result.requests.details)
          for (const { startNs, endNs, spans } of parts)
            expect(spans.reduce((sum, { selfNs }) => sum + selfNs, 0)).toBeCloseTo(endNs - startNs, 3);
      }),
      { numRuns: 30 },
    );
  });

  test('are fewer, never wrong, where samples are lost', async () => {
    const sent = rpcs(40);
    const lost = (line: string, host: number) =>
      / probe_rpc:/.test(line) && (line.length * 7 + hash(line) + host) % 4 === 0;
    const result = await ask(textsOf(sent, { isLost: lost }));
    const work = workOf(result);
    expect(work.flat().length).toBeGreaterThan(15);
    expect(work.flat().length).toBeLessThan(40);
    for (const [row, parts] of work.entries()) {
      expect(parts.length).toBeLessThanOrEqual(1);
      for (const { afterNs, errorNs } of parts)
        expect(Math.abs(afterNs - (sent[row].receivedNs - sent[row].askNs))).toBeLessThanOrEqual(errorNs + 3);
    }
    expect(result.hosts[1].offset.contradictions).toBe(0);
  });

  test('are joined by time, where an id comes again', async () => {
    const sent = rpcs(20).map((rpc, row) => ({ ...rpc, id: row < 6 ? 'again' : rpc.id }));
    const result = await ask(textsOf(sent));
    expect(result.hosts[1].offset).toMatchObject({ handOffs: 28, contradictions: 0 });
    expect(workOf(result).map(({ length }) => length)).toEqual(Array(20).fill(1));
  });

  test('are as early as they can be, if nothing came back', async () => {
    const sent = rpcs(5, (row) => ({ outNs: 5_000 + row * 1_000, backNs: 8_000 }));
    const result = await ask(textsOf(sent, { isLost: (line, host) => / probe_rpc:send/.test(line) && host === 1 }));
    expect(result.hosts[1].offset).toMatchObject({ lowNs: Number.NEGATIVE_INFINITY, handOffs: 5 });
    const work = workOf(result).flat();
    expect(work.map(({ afterNs }) => afterNs)).toEqual([100, 1_100, 2_100, 3_100, 4_100]);
    expect(work.every(({ errorNs }) => errorNs === Number.POSITIVE_INFINITY)).toBe(true);
  });

  test('count hand-offs that contradict the others, and do not join them', async () => {
    const sent = rpcs(20);
    const texts = textsOf(sent);
    const swapped = texts[1]
      .replaceAll('00-a3-', '00-tmp-')
      .replaceAll('00-a9-', '00-a3-')
      .replaceAll('00-tmp-', '00-a9-');
    const result = await ask([texts[0], swapped]);
    expect(result.hosts[1].offset).toMatchObject({ contradictions: 2, handOffs: 38 });
    expect(result.hosts[1].offset.lowNs).toBeLessThanOrEqual(OFFSET_NS);
    expect(result.hosts[1].offset.highNs).toBeGreaterThanOrEqual(OFFSET_NS);
  });

  test('are not joined without an id in common', async () => {
    const texts = textsOf(rpcs(4));
    const result = await ask([texts[0], texts[1].replaceAll('00-a', '00-b')]);
    expect(result.hosts[1].offset).toMatchObject({ to: 1, handOffs: 0 });
    expect(workOf(result).flat()).toEqual([]);
    expect(result.requests.requests).toBe(4);
  });

  test('are those of one trace, if the hosts are the same', async () => {
    const texts = textsOf(rpcs(4));
    const result = await ask(texts, { hosts: ['a', 'a'] });
    expect(result.hosts).toHaveLength(1);
  });

  test('give the same answer with workers', async () => {
    const texts = textsOf(rpcs(10));
    const answers = [1, 4].map(async (jobs) => {
      const inputs = texts.map((text, host) => inputOf(text, `host${host}`));
      const question = { root: 'ask', flows: FLOWS, hosts: ['a', 'b'], slowest: 3 };
      return JSON.stringify(requestsAnswer(await askRequests(inputs, question, { jobs })));
    });
    expect(await answers[0]).toBe(await answers[1]);
  });

  describe('in a window', () => {
    const within = (fromUs: number | null, toUs: number | null): AnalyzeOptions => {
      const moment = (us: number | null) => (us === null ? null : { afterStartNs: us * 1000 });
      return { window: { from: moment(fromUs), to: moment(toUs) } };
    };
    /** The client's recording begins with the first request; the next ones follow every 200 µs. */
    const texts = () => textsOf(rpcs(20), { driftPpm: 500 });
    const startsOf = ({ requests }: RequestsResult) =>
      requests.details.map(({ startNs }) => startNs).sort((a, b) => a - b);

    test.each(['ask', 'work'])('are those of %s that overlap it on the clock of the first host', async (root) => {
      const all = await ask(texts(), { root });
      const some = await ask(texts(), { root }, within(400, 1_000));
      expect(some.requests).toMatchObject({ requests: 3, threads: 1 });
      expect(startsOf(some)).toEqual(startsOf(all).slice(2, 5));
      expect(workOf(some)).toEqual(workOf(all).slice(2, 5));
      const rest = [await ask(texts(), { root }, within(null, 400)), await ask(texts(), { root }, within(1_000, null))];
      expect([...rest, some].flatMap(startsOf).sort((a, b) => a - b)).toEqual(startsOf(all));
    });

    test('count in full if it cuts them', async () => {
      const all = await ask(texts());
      const cut = await ask(texts(), {}, within(410, 411));
      expect(cut.requests.details).toHaveLength(1);
      const { startNs, durationNs } = cut.requests.details[0] as (typeof cut.requests.details)[0];
      expect(all.requests.details.find((own) => own.startNs === startNs)?.durationNs).toBe(durationNs);
      expect((await ask(texts(), {}, within(450, 451))).requests.requests).toBe(0);
    });

    test("are on perf's clock of the first host", async () => {
      const window = { from: { seconds: 1, ns: 400_000 }, to: { seconds: 1, ns: 1_000_000 } };
      expect((await ask(texts(), { root: 'work' }, { window })).requests.requests).toBe(3);
    });

    test('are refused of a host whose clock is not known', async () => {
      const isLost = (line: string, host: number) => host === 0 && line.includes('probe_rpc:recv');
      const oneWay = () => textsOf(rpcs(20), { isLost });
      await expect(ask(oneWay(), { root: 'work' }, within(0, 400))).rejects.toMatchObject({
        code: 'BAD_OPTION',
        message: 'the window is on the clock of a, and how far that of b is ahead is not known',
      });
      expect((await ask(oneWay(), {}, within(0, 400))).requests.requests).toBe(2);
      const question = { flows: [{ push: 'send', pop: 'recv' }], root: 'work' };
      const inputs = () => texts().map((text, host) => inputOf(text, `host${host}`));
      const unrelated = askRequests(inputs(), { ...question, hosts: ['a', 'b'] }, within(0, 400));
      await expect(unrelated).rejects.toMatchObject({ code: 'BAD_OPTION' });
      await expect(ask(texts(), {}, within(4, 3))).rejects.toMatchObject({ code: 'BAD_OPTION' });
    });
  });

  test('need a host for each input', async () => {
    const texts = textsOf(rpcs(2));
    const third = [...texts, texts[0]];
    await expect(ask(third, { hosts: ['a', 'b', null] })).rejects.toMatchObject({ code: 'BAD_OPTION' });
    await expect(ask(texts, { hosts: ['a'] })).rejects.toMatchObject({ code: 'BAD_OPTION' });
    await expect(ask(texts, { root: 'nothing' })).rejects.toMatchObject({ code: 'NO_SUCH_FUNCTION' });
    await expect(ask(texts, { flows: [{ push: 'no:id', pop: 'recv:id' }] })).rejects.toMatchObject({
      code: 'NOT_RECORDED',
    });
  });
});

function hash(line: string): number {
  return [...line].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1_000_003, 7);
}

describe('requests of three hosts', () => {
  test('are joined through the one between', async () => {
    const clocks = [(ns: number) => ns, (ns: number) => ns + OFFSET_NS, (ns: number) => ns - 500_000_000];
    const hosts = clocks.map((clock) => new HostText(clock));
    const sent = rpcs(10, () => ({ outNs: 4_000, backNs: 4_000 }));
    for (const rpc of sent) {
      const inner = {
        ...{
          id: `inner-${rpc.id}`.replace('-', ''),
          askNs: rpc.receivedNs + 1_000,
          receivedNs: rpc.receivedNs + 4_100,
        },
        ...{ repliedNs: rpc.receivedNs + 9_000, answeredNs: rpc.receivedNs + 12_000 },
      };
      writeClient(hosts[0], CLIENT, rpc);
      hosts[1].call(SERVER, rpc.receivedNs, 'recv');
      hosts[1].sample(SERVER, rpc.receivedNs, 'recv', `"00-${rpc.id}-01"`);
      writeClient(hosts[1], SERVER, inner, 'forward');
      hosts[1].call(SERVER, rpc.repliedNs, 'send');
      hosts[1].sample(SERVER, rpc.repliedNs, 'send', `"00-${rpc.id}-01"`);
      hosts[1].return(SERVER, rpc.repliedNs + 100);
      hosts[1].return(SERVER, rpc.repliedNs + 200);
      writeServer(hosts[2], SERVER, inner);
    }
    const result = await ask(hosts.map((host) => host.text()));
    const own = result.requests.details.toSorted((a, b) => a.startNs - b.startNs);
    expect(own).toHaveLength(10);
    for (const [row, { startNs, parts }] of own.entries()) {
      const [first, second] = [1, 2].map((host) => parts.filter((part) => part.host === host && part.parent >= 0)[0]);
      expect(parts[second.parent].host).toBe(1);
      expect(first.errorNs).toBeLessThanOrEqual(4_100);
      expect(second.errorNs).toBeLessThanOrEqual(first.errorNs + 3_100);
      expect(second.errorNs).toBeGreaterThan(first.errorNs);
      const afterNs = sent[row].receivedNs + 4_100 - sent[row].askNs;
      expect(Math.abs(second.startNs - startNs - afterNs)).toBeLessThanOrEqual(second.errorNs);
    }
  });
});

describe('requests of a real program', () => {
  /** The lines of the threads that take jobs, or of the others; jobs have the same address again, but ids of their own. */
  function split(isWorker: boolean): string {
    const lines = ['requests', 'waits'].flatMap((name) => fixture(`waits/${name}.txt.gz`).toString().split('\n'));
    const seen = new Map<string, number>();
    const withId = (line: string) =>
      line.replace(/(queue_push|run_job)(: .*)job=(0x\w+)/, (_, probe, between, job) => {
        const count = (seen.get(probe + job) ?? 0) + 1;
        seen.set(probe + job, count);
        return `${probe}${between}job="${job}-${count}"`;
      });
    const own = lines.map(withId).filter((line) => /^\s*(?:\S+ +)?(?:9165|9170) \[/.test(line) === isWorker);
    const later = (line: string) =>
      line.replace(/ (\d+)(\.\d{9}): /, (_, seconds, ns) => ` ${Number(seconds) + 77}${ns}: `);
    return (isWorker ? own.map(later) : own).join('\n');
  }

  const question = { root: 'handle_request', flows: [{ push: 'queue_push:job', pop: 'run_job:job' }], slowest: 8 };

  function partsOf({ requests }: RequestsResult) {
    const found = requests.details.map(({ startNs, durationNs, parts }) => ({
      ...{ startNs, durationNs },
      parts: parts.map(({ thread: { tid }, startNs, endNs }) => `${tid} ${endNs - startNs}`).sort(),
    }));
    return found.sort((a, b) => a.startNs - b.startNs);
  }

  test('have the same parts if the threads that worked for them were on another host', async () => {
    const names = ['requests', 'waits'];
    const whole = await askRequests(
      names.map((name) => inputOf(fixture(`waits/${name}.txt.gz`), name)),
      question,
    );
    const inputs = [false, true].map((isWorker) => inputOf(split(isWorker), `workers: ${isWorker}`));
    const apart = await askRequests(inputs, { ...question, hosts: ['sessions', 'workers'] });
    expect(apart.requests.joined).toEqual(whole.requests.joined);
    const { highNs, lowNs } = apart.hosts[1].offset;
    expect(lowNs).toBe(Number.NEGATIVE_INFINITY);
    expect(highNs).toBeGreaterThanOrEqual(77e9);
    expect(highNs).toBeLessThan(77e9 + 2_000_000);
    expect(partsOf(apart)).toEqual(partsOf(whole));
  });
});
