/**
 * Groups waits by the lock, condition or other object that they were for.
 */
import { type Address, NONE } from '../../model/units.js';
import { type Groups, groupRows } from '../input/group-rows.js';
import { objectAddress, Reason } from '../reason.js';
import type { Waits } from '../waits.js';

/** A row for each object that a thread waited for in a futex call. */
export interface WaitedObjects {
  readonly length: number;
  readonly pid: Int32Array;
  readonly address: Float64Array; // Address
  readonly kind: Uint8Array; // Reason
  /** By wait: row of the object; NONE: it was for none, or is not in question. */
  readonly objectOf: Int32Array;
  readonly byObject: Groups;
}

/** `reasons`: by wait. `isInQuestion`: whether a wait is to be grouped. */
export function waitedObjectsOf(
  waits: Waits,
  reasons: Uint8Array,
  isInQuestion: (wait: number) => boolean,
): WaitedObjects {
  const { waitCall, calls } = waits;
  const rows = Int32Array.from(waitCall.keys()).filter((wait) => waitCall[wait] !== NONE && isInQuestion(wait));
  const words = new WordRows();
  const wordOf = rows.map((wait) => words.at(calls.pid[waitCall[wait]], calls.address[waitCall[wait]]));
  const kinds = kindsOf(wordOf, words.length, (at) => reasons[rows[at]] as Reason);
  const objects = new WordRows();
  const objectOfWord = words.pid.map((pid, word) => objects.at(pid, objectAddress(kinds[word], words.address[word])));
  const kind = new Uint8Array(objects.length);
  objectOfWord.forEach((object, word) => {
    kind[object] = kinds[word];
  });
  const objectOf = new Int32Array(waits.length).fill(NONE);
  rows.forEach((wait, at) => {
    objectOf[wait] = objectOfWord[wordOf[at]];
  });
  return {
    length: objects.length,
    pid: Int32Array.from(objects.pid),
    address: Float64Array.from(objects.address),
    kind,
    objectOf,
    byObject: groupRows(objectOf),
  };
}

/** Returns objects with only some of their waits; they may have none. What the objects are is known from all waits. */
export function objectsOfSome(objects: WaitedObjects, isInQuestion: (wait: number) => boolean): WaitedObjects {
  const objectOf = objects.objectOf.map((object, wait) => (object !== NONE && isInQuestion(wait) ? object : NONE));
  return { ...objects, objectOf, byObject: groupRows(objectOf) };
}

const KINDS = Object.keys(Reason).length;

/** Returns what most waits for a word were; `Unknown` and `Futex` only if nothing more is known of any. */
function kindsOf(wordOf: Int32Array, words: number, reasonAt: (at: number) => Reason): Reason[] {
  const counts = new Uint32Array(words * KINDS);
  wordOf.forEach((word, at) => {
    counts[word * KINDS + reasonAt(at)]++;
  });
  return Array.from({ length: words }, (_, word) => {
    const own = counts.subarray(word * KINDS, (word + 1) * KINDS);
    const weight = (kind: number) => (kind === Reason.Unknown || kind === Reason.Futex ? 0 : own[kind]);
    const most = own.reduce<number>((best, _count, kind) => (weight(kind) > weight(best) ? kind : best), 0);
    return (weight(most) > 0 ? most : Reason.Futex) as Reason;
  });
}

/** Numbers words by process and address. */
class WordRows {
  readonly pid: number[] = [];
  readonly address: Address[] = [];
  private readonly byProcess = new Map<number, Map<Address, number>>();

  get length(): number {
    return this.pid.length;
  }

  at(pid: number, address: Address): number {
    let rows = this.byProcess.get(pid);
    if (rows === undefined) this.byProcess.set(pid, (rows = new Map()));
    let row = rows.get(address);
    if (row === undefined) {
      rows.set(address, (row = this.pid.push(pid) - 1));
      this.address.push(address);
    }
    return row;
  }
}

/** Returns the largest number of these waits that overlap. A wait ends before another begins at the same moment. */
export function longestConvoy({ outNs, inNs }: Pick<Waits, 'outNs' | 'inNs'>, rows: Uint32Array): number {
  const starts = Float64Array.from(rows, (wait) => outNs[wait]).sort();
  const ends = Float64Array.from(rows, (wait) => inNs[wait]).sort();
  let ended = 0;
  let most = 0;
  for (let started = 0; started < starts.length; started++) {
    while (ends[ended] <= starts[started]) ended++;
    most = Math.max(most, started + 1 - ended);
  }
  return most;
}
