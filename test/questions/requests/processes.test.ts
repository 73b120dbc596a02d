/**
 * Requests of several processes on one host: joined by ids in texts, but never by pointers.
 */
import { describe, expect, test } from 'vitest';
import { askRequests } from '../../../src/questions/requests/ask-requests.js';
import type { RequestsOptions } from '../../../src/questions/requests/request-question.js';
import { HandOffBy } from '../../../src/waits/hand-offs.js';
import { inputOf } from '../../helpers/traces/load.js';
import { HostText, writeClient, writeServer } from './helpers/host-text.js';

const CLIENTS = [
  [100, 101],
  [200, 201],
] as const;
const SERVER = [300, 301] as const;
const FLOWS = [{ push: 'send:id', pop: 'recv:id' }];

function rpcAt(id: string, askNs: number) {
  return { id, askNs, receivedNs: askNs + 2_000, repliedNs: askNs + 6_000, answeredNs: askNs + 9_000 };
}

/** Two clients and one server. */
function threeProcesses(): string {
  const host = new HostText();
  for (let round = 0; round < 6; round++) {
    const rpc = rpcAt(`a${round}`, 1_000_000_000 + round * 20_000);
    writeClient(host, CLIENTS[round % 2], rpc);
    writeServer(host, SERVER, rpc);
  }
  return host.text();
}

const ask = (text: string, question: Partial<RequestsOptions>) =>
  askRequests([inputOf(text)], { root: 'ask', flows: FLOWS, slowest: 6, ...question });

describe('requests of several processes', () => {
  test.each([undefined, /^00-(\w+)-/, /a\d/])('are joined by an id: %s', async (id) => {
    const { requests } = await ask(threeProcesses(), id ? { id } : {});
    expect(requests.requests).toBe(6);
    expect(requests.joined).toMatchObject({ byKey: 6, notJoined: 0 });
    for (const { startNs, parts } of requests.details) {
      const [own, work] = parts.filter(({ thread }, part) => part === 0 || thread.pid === SERVER[0]);
      expect(CLIENTS.map(([, tid]) => tid)).toContain(own.thread.tid);
      expect(work).toMatchObject({ by: HandOffBy.Key, parent: 0, startNs: startNs + 2_000, endNs: startNs + 6_200 });
    }
  });

  test('are not joined by values without an id, nor by order then', async () => {
    const { requests } = await ask(threeProcesses(), { id: /^11-(\w+)/ });
    expect(requests.joined).toMatchObject({ byKey: 0, notJoined: 12 });
  });

  test('are never joined by pointers, which other processes have, too', async () => {
    const host = new HostText();
    const [a, b] = CLIENTS;
    host.call(a, 1_000, 'ask');
    host.call(b, 1_000, 'ask');
    host.sample(a, 2_000, 'send', '0x7f0010');
    host.sample(b, 2_500, 'send', '0x7f0010');
    for (const [pid, tid] of CLIENTS) host.call([pid, tid + 1], 3_000, 'recv');
    host.sample([a[0], a[1] + 1], 3_000, 'recv', '0x7f0010');
    host.sample([b[0], b[1] + 1], 3_500, 'recv', '0x7f0010');
    for (const [pid, tid] of CLIENTS) host.return([pid, tid + 1], 5_000);
    host.return(a, 9_000);
    host.return(b, 9_000);
    const { requests } = await ask(host.text(), {});
    expect(requests.joined).toMatchObject({ byKey: 2, notJoined: 0 });
    for (const { parts } of requests.details)
      expect(parts.map(({ thread: { tid } }) => tid)).toEqual([parts[0].thread.tid, parts[0].thread.tid + 1]);
  });

  test('need a key to take ids from', async () => {
    await expect(ask(threeProcesses(), { flows: [{ push: 'send', pop: 'recv' }], id: /a/ })).rejects.toMatchObject({
      code: 'BAD_OPTION',
    });
  });
});
