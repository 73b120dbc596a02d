/**
 * Joins the requests of one or several hosts: their clocks, the calls that are requests, and the work handed on.
 */

import type { WindowOption } from '../../../pipeline/replay/questions/moments.js';
import { matchedParts } from '../../../trace/records/name-matcher.js';
import { type Flow, joinFlows } from '../../../waits/handoffs/flow.js';
import { HostClocks } from '../../../waits/hosts/host-clocks.js';
import { flowsByKey, type HostFlow, type Hosts, placedFlow } from '../../../waits/hosts/host-flows.js';
import { HostIds } from '../../../waits/hosts/host-ids.js';
import { addSentIds, noSentIds } from '../../../waits/hosts/sent-ids.js';
import { joinRequests } from '../../../waits/requests/join-requests.js';
import { ALL_TIME } from '../../../waits/summary/window.js';
import { flowByWakings } from '../flow/flow-by-wakings.js';
import { flowByEvents, hostFlow } from '../flow/named-flow.js';
import { RootCalls } from '../root-calls.js';
import type { HostScene, HostTrace, Scene } from '../scene.js';
import { hostRoots } from './host-roots.js';
import { requestWindow } from './request-window.js';

/**
 * `id`: takes the id out of keys; null: they are used as they are. `window`: on the clock of the first host; null: all time.
 *
 * @throws PtflameError BAD_OPTION for a window in which requests of other hosts cannot be placed
 */
export async function joinHosts(
  traces: readonly HostTrace[],
  id: RegExp | null,
  window: WindowOption | null,
): Promise<Scene> {
  const hosts = traces.map((trace): HostScene => {
    return { ...trace, roots: new RootCalls(trace.calls, trace.functions) };
  });
  const sides = await flowSides(hosts, id);
  const common = commonOf(sides, hosts.length);
  const roots = hostRoots(
    hosts.map(({ roots }) => roots),
    common,
    window ? requestWindow(window, hosts, common.clocks) : ALL_TIME,
  );
  const flow = joinFlows(sides.length > 0 ? namedFlows(sides, hosts, common) : await flowsByWaking(hosts, common));
  const endNs = flow.endNs.map((ns, pop) => common.clocks.common(common.threads.hostOf(flow.pops.tid[pop]), ns));
  return {
    hosts,
    common,
    roots,
    flow,
    parts: joinRequests(roots, flow.pushes, flow.pops, flow, { endNs, batch: flow.batch }),
  };
}

/** By named flow: what each host recorded of it. */
async function flowSides(hosts: readonly HostScene[], id: RegExp | null): Promise<HostFlow[][]> {
  const idsOf = id && ((texts: readonly string[]) => matchedParts(id, texts));
  const sides: HostFlow[][] = (hosts[0]?.flows ?? []).map(() => []);
  for (const [host, { flows, calls, traced }] of hosts.entries())
    for (const [row, flow] of flows.entries())
      sides[row].push(await hostFlow(host, flow, idsOf, calls, traced.trace.store.bounds.endNs));
  return sides;
}

function commonOf(sides: readonly (readonly HostFlow[])[], hosts: number): Hosts {
  const sent = noSentIds(hosts);
  if (hosts > 1)
    for (const side of sides)
      addSentIds(
        side.map(({ pushes }) => pushes),
        side.map(({ pops }) => pops),
        sent,
      );
  return { clocks: new HostClocks(sent), threads: new HostIds(hosts), processes: new HostIds(hosts) };
}

/** Only keys join hosts: the order of work, and wakings, are known on one host only. */
function namedFlows(sides: readonly (readonly HostFlow[])[], hosts: readonly HostScene[], common: Hosts): Flow[] {
  return sides.flatMap((side, row) => {
    const isKeyed = hosts.some(({ flows }) => flows[row].push?.key) && hosts.some(({ flows }) => flows[row].pop?.key);
    if (isKeyed && hosts.length > 1) return flowsByKey(side, common);
    return side.map((own, host) => placedFlow(flowByEvents(own, hosts[host].traced.waits), host, common));
  });
}

function flowsByWaking(hosts: readonly HostScene[], common: Hosts): Promise<Flow[]> {
  const flows = hosts.map(async ({ traced, roots }, host) => {
    const flow = flowByWakings(await traced.withPlaces(), roots, traced.trace.store.bounds.endNs);
    return placedFlow(flow, host, common);
  });
  return Promise.all(flows);
}
