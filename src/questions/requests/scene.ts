/**
 * All that was found of the requests of one or several hosts, before they are described.
 */
import type { FunctionSet } from '../../analysis/questions.js';
import type { Flow } from '../../waits/flow.js';
import type { Hosts } from '../../waits/hosts/host-flows.js';
import type { Parts } from '../../waits/parts.js';
import type { CallsOfTrace } from '../waits/ask-waits.js';
import type { HostRoots } from './host-roots.js';
import type { HostWaits } from './host-waits.js';
import type { NamedFlow } from './named-flow.js';
import type { RootCalls } from './root-calls.js';

/** The trace of a host, and what the question selects in it. */
export interface HostTrace {
  readonly name: string | null;
  readonly traced: HostWaits;
  readonly calls: CallsOfTrace;
  readonly functions: FunctionSet;
  readonly flows: readonly NamedFlow[];
}

/** Times and threads are those of the host. */
export interface HostScene extends HostTrace {
  readonly roots: RootCalls;
}

/** Times are on the common clock, and threads have common ids; on a single host, they are its own. */
export interface Scene {
  readonly hosts: readonly HostScene[];
  readonly common: Hosts;
  readonly roots: HostRoots;
  readonly flow: Flow;
  readonly parts: Parts;
}
