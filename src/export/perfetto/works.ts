/**
 * Collects the work of all requests, each once, and how it was handed on.
 */

import type { Nanoseconds } from '../../model/units.js';
import type { RequestDetails, RequestPart } from '../../questions/requests/found-requests.js';
import { HAND_OFF_BY } from '../../questions/requests/request-part.js';
import { sharedWorkOf } from '../requests/shared-work.js';

/** What one thread did for a request, or for several at once. */
export interface Work {
  /** The part of a request that has it all; of several, that whose work was taken first. */
  details: RequestDetails;
  part: RequestPart;
  /** Counted from 1, the slowest first. */
  readonly requests: number[];
  readonly taken: HandOff[];
  readonly handedOn: HandOff[];
}

export interface HandOff {
  /** Counted from 1. */
  readonly id: number;
  readonly from: Work;
  readonly to: Work;
  /** One of the requests for which it was, and the part of it that was taken: times are on the clock of its host. */
  readonly details: RequestDetails;
  readonly part: RequestPart;
  readonly requests: number[];
}

export function worksOf(details: readonly RequestDetails[]): Work[] {
  const works = new WorkList();
  for (const [row, each] of details.entries()) works.add(each, row + 1);
  return works.all;
}

class WorkList {
  readonly all: Work[] = [];
  private readonly shared = new Map<string, Work>();
  private count = 0;

  add(details: RequestDetails, request: number): void {
    const own: Work[] = []; // by part
    for (const part of details.parts) {
      const work = this.workOf(details, part);
      addOnce(work.requests, request);
      own.push(work);
      if (HAND_OFF_BY[part.by] !== null) this.handOn(own[Math.max(0, part.parent)], work, details, part, request);
    }
  }

  private workOf(details: RequestDetails, part: RequestPart): Work {
    const key = sharedWorkOf(part);
    const known = key === null ? undefined : this.shared.get(key);
    if (known === undefined) {
      const work = { details, part, requests: [], taken: [], handedOn: [] };
      this.all.push(work);
      if (key !== null) this.shared.set(key, work);
      return work;
    }
    if (part.ownStartNs < known.part.ownStartNs) [known.details, known.part] = [details, part];
    return known;
  }

  /** What shared work hands on is handed on once, for all its requests. */
  private handOn(from: Work, to: Work, details: RequestDetails, part: RequestPart, request: number): void {
    const isSame = (other: HandOff) =>
      other.from === from &&
      other.part.ownStartNs === part.ownStartNs &&
      handedOnNs(other.details, other.part) === handedOnNs(details, part);
    const same = to.taken.find(isSame);
    if (same !== undefined) return addOnce(same.requests, request);
    const handOff = { id: ++this.count, from, to, details, part, requests: [request] };
    from.handedOn.push(handOff);
    to.taken.push(handOff);
  }
}

function addOnce(requests: number[], request: number): void {
  if (requests.at(-1) !== request) requests.push(request);
}

function handedOnNs(details: RequestDetails, part: RequestPart): Nanoseconds {
  return commonNs(details, part.handedOnNs);
}

/** Returns a time of a request on the common clock of its host and those that are related to it. */
export function commonNs({ startNs, commonNs }: RequestDetails, ns: Nanoseconds): Nanoseconds {
  return ns - startNs + commonNs;
}
