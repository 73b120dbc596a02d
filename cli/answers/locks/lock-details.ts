/**
 * Formats who held a lock and what they did meanwhile, where threads waited for it, and who woke them.
 */
import type { LockHolder, LockRow } from '../../../src/questions/locks/schema.js';
import { formatCount, formatDuration, formatMany } from '../../../src/render/format.js';
import { type TableColumn, tableLines } from '../../terminal/table.js';
import { shareCell } from '../numbers.js';
import { topLines } from '../top-lines.js';
import { functionText, pathText, threadsText } from './lock-names.js';

export function lockDetails(lock: LockRow, width: number, top: number): string[] {
  const { kind, address, waits, waitedNs, holders, isLock } = lock;
  const head = `${kind} ${address}: ${formatDuration(waitedNs)} in ${formatMany(waits, 'wait')}`;
  const tables = [
    ...(holders.length > 0 ? holderLines(lock, width, top) : isLock ? ['its holders are not known'] : []),
    ...placeLines(lock, width, top),
    ...(holders.length > 0 ? [] : wakerLines(lock, width, top)),
  ];
  return [head, ...tables];
}

interface HolderLine {
  readonly ns: number;
  /** null: a call path of the holder above. */
  readonly holder: LockHolder | null;
  readonly text: string;
}

function holderLines({ holders, waitedNs }: LockRow, width: number, top: number): string[] {
  const columns: TableColumn<HolderLine>[] = [
    { title: 'held', text: ({ ns }) => formatDuration(ns) },
    { title: '%', text: ({ ns }) => shareCell(ns, waitedNs) },
    { title: 'waits', text: ({ holder }) => (holder ? formatCount(holder.waits) : ''), rank: 1 },
    { title: 'ran', text: ({ holder }) => (holder ? shareCell(holder.ranNs, holder.heldNs) : ''), rank: 2 },
    { title: 'blocked', text: ({ holder }) => (holder ? shareCell(holder.blockedNs, holder.heldNs) : ''), rank: 2 },
    { title: 'preempted', text: ({ holder }) => (holder ? shareCell(holder.preemptedNs, holder.heldNs) : ''), rank: 3 },
    { title: 'by probe', text: ({ holder }) => (holder ? shareCell(holder.probeNs, holder.heldNs) : ''), rank: 4 },
  ];
  const linesOf = (shown: readonly LockHolder[]) =>
    tableLines(shown.flatMap(linesOfHolder), columns, {
      name: ({ text }) => text,
      nameTitle: 'held by, and what it did meanwhile',
      indent: ({ holder }) => (holder ? '' : '  '),
      width,
    });
  return topLines(holders, top, linesOf);
}

function linesOfHolder(holder: LockHolder): HolderLine[] {
  const released = holder.function === null ? '' : `, given back in ${holder.function.name}`;
  const first = { ns: holder.heldNs, holder, text: `${threadsText(holder.threads)}${released}` };
  return [first, ...holder.spots.map(({ ns, path }) => ({ ns, holder: null, text: pathText(path) }))];
}

type Place = LockRow['places'][number];

function placeLines({ places, waitedNs }: LockRow, width: number, top: number): string[] {
  if (places.every((place) => place.function === null)) return [];
  const columns: TableColumn<Place>[] = [
    { title: 'waited', text: (place) => formatDuration(place.waitedNs) },
    { title: '%', text: (place) => shareCell(place.waitedNs, waitedNs) },
    { title: 'waits', text: ({ waits }) => formatCount(waits) },
  ];
  const name = (place: Place) => `${functionText(place.function)}${place.call ? ` (${functionText(place.call)})` : ''}`;
  return topLines(places, top, (shown) => tableLines(shown, columns, { name, nameTitle: 'waited in', width }));
}

type Waker = LockRow['wakers'][number];

function wakerLines({ wakers, waitedNs }: LockRow, width: number, top: number): string[] {
  const columns: TableColumn<Waker>[] = [
    { title: 'waited', text: (waker) => formatDuration(waker.waitedNs) },
    { title: '%', text: (waker) => shareCell(waker.waitedNs, waitedNs) },
    { title: 'waits', text: ({ waits }) => formatCount(waits) },
  ];
  return topLines(wakers, top, (shown) =>
    tableLines(shown, columns, { name: wakerText, nameTitle: 'woken by', width }),
  );
}

function wakerText({ kind, threads, isCandidate, function: place }: Waker): string {
  if (kind !== 'thread') return `[${kind}]`;
  return `${isCandidate ? 'maybe ' : ''}${threadsText(threads)}${place ? ` in ${place.name}` : ''}`;
}
