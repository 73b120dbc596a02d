/**
 * The window of time of requests on several hosts: it is on the clock of the first host, which is the common one.
 */
import { PtflameError } from '../../../model/errors.js';
import { type WindowOption, windowBounds } from '../../../pipeline/replay/questions/moments.js';
import type { HostClocks } from '../../../waits/hosts/host-clocks.js';
import type { TimeWindow } from '../../../waits/summary/window.js';
import type { HostScene } from '../scene.js';

/** @throws PtflameError BAD_OPTION if the window is empty, or if requests of a host cannot be told to be in it */
export function requestWindow(window: WindowOption, hosts: readonly HostScene[], clocks: HostClocks): TimeWindow {
  const unplaced = hosts.find(({ roots }, host) => roots.length > 0 && !isPlaced(host, roots.fromNs[0], clocks));
  if (unplaced !== undefined) throw withoutClock(unplaced.name, hosts[0].name);
  return windowBounds(window, hosts[0].traced.trace);
}

/** Hand-offs in both directions bound how far the clocks are apart. */
function isPlaced(host: number, ns: number, clocks: HostClocks): boolean {
  return clocks.rootOf(host) === clocks.rootOf(0) && Number.isFinite(clocks.errorNs(host, 0, ns));
}

function withoutClock(host: string | null, first: string | null): PtflameError {
  const [name, firstName] = [host, first].map((own) => own ?? '[unnamed]');
  return new PtflameError(
    'BAD_OPTION',
    `the window is on the clock of ${firstName}, and how far that of ${name} is ahead is not known`,
    { hint: `leave out --window, name a --flow with ids in both directions, or read ${name} alone` },
  );
}
