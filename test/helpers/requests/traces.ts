/**
 * Traces with requests, and how their work is handed on.
 */
import type { TraceInput } from '../../../src/index.js';
import { analyzeForPage } from '../../../src/page/contents/analyze-for-page.js';
import { requestsForPage } from '../../../src/page/contents/page-requests.js';
import type { PageRequests } from '../../../src/page/data/requests.js';
import type { FunctionPattern } from '../../../src/pipeline/replay/find-functions.js';
import { askRequests, type RequestsResult } from '../../../src/questions/requests/ask-requests.js';
import type { FlowPattern, RequestsOptions } from '../../../src/questions/requests/request-question.js';
import { HostText, writeClient, writeServer } from '../../questions/requests/helpers/host-text.js';
import { fixture, inputOf } from '../traces/load.js';

const traces =
  (...names: readonly string[]) =>
  () =>
    names.map((name) => inputOf(fixture(`waits/${name}.txt.gz`), name));

export const WAITLAB = traces('requests', 'waits');
export const GROUP_COMMIT = traces('group-commit', 'group-commit.samples');

export const BY_KEY: readonly FlowPattern[] = [{ push: 'queue_push:job', pop: 'run_job:job' }];
export const BATCHES = ['job', 'commit'].map((queue) => ({ push: `${queue}_push:req`, pop: `${queue}_take:req` }));

interface RequestCase {
  readonly name: string;
  readonly inputs: () => ReturnType<typeof WAITLAB>;
  readonly flows?: readonly FlowPattern[];
  readonly requests: number;
  readonly by: string;
}

/** All have the root `handle_request`. */
export const REQUEST_CASES: readonly RequestCase[] = [
  { name: 'by key', inputs: WAITLAB, flows: BY_KEY, requests: 8, by: 'key' },
  { name: 'by order', inputs: WAITLAB, flows: [{ push: 'queue_push', pop: 'run_job' }], requests: 8, by: 'order' },
  { name: 'by waking', inputs: WAITLAB, requests: 8, by: 'waking' },
  { name: 'of which many are done together', inputs: GROUP_COMMIT, flows: BATCHES, requests: 10, by: 'key' },
];

/** The trace and the span of a W3C `traceparent`. */
export const [TRACE, PARENT] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
const first = { id: 'none', askNs: 1e9, receivedNs: 1e9 + 5000, repliedNs: 1e9 + 9000, answeredNs: 1e9 + 12_000 };
const later = (id: string, ns: number) => ({
  ...{ id, askNs: first.askNs + ns, receivedNs: first.receivedNs + ns },
  ...{ repliedNs: first.repliedNs + ns, answeredNs: first.answeredNs + ns },
});
export const RPCS = [first, later(`${TRACE}-${PARENT}`, 1e6), later(`${'0'.repeat(32)}-${PARENT}`, 2e6)];

/** Requests of a host "web", which a host "db" handles, whose clock is 3.12 s ahead. The second one has a `traceparent`. */
export async function askTwoHosts(question: Partial<RequestsOptions> = {}): Promise<RequestsResult> {
  const [client, server] = [new HostText(), new HostText((ns) => ns + 3_123_456_789)];
  for (const rpc of RPCS) {
    writeClient(client, [100, 101], rpc);
    writeServer(server, [100, 101], rpc);
  }
  const inputs = [client, server].map((text, host) => inputOf(text.text(), `host${host}`));
  const flows = [{ push: 'send:id', pop: 'recv:id' }];
  const asked = { root: 'ask', flows, hosts: ['web', 'db'], id: /^00-([\w-]+)-/, maxSpans: 100 };
  return askRequests(inputs, { ...asked, ...question });
}

/** Returns the requests that a page shows. */
export async function requestsOfPage(inputs: readonly TraceInput[], root: FunctionPattern): Promise<PageRequests> {
  const { requests = null } = await analyzeForPage(inputs, {}, requestsForPage(root));
  if (requests === null) throw new Error('there are no requests');
  return requests;
}
