/**
 * All that was found of the requests of a trace, before they are described.
 */
import type { Flow } from '../../waits/handoffs/flow.js';
import type { Parts } from '../../waits/requests/join-requests.js';
import type { CallsOfWaits, TraceWaits } from '../waits/ask-waits.js';
import type { WaitFacts } from '../waits/wait-facts.js';
import type { RootCalls } from './root-calls.js';

export interface Scene {
  readonly traced: TraceWaits;
  readonly calls: CallsOfWaits;
  readonly facts: WaitFacts;
  readonly roots: RootCalls;
  readonly flow: Flow;
  readonly parts: Parts;
}
