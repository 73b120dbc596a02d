/**
 * The view Locks: what threads waited for, how long, who held it, and what the holders did meanwhile.
 */

import type { LockBlocker, NamedPlace, WaitedLock } from '../../model/profile/waits-by-path.js';
import { formatCount, formatDuration, formatLongest, formatShare } from '../../render/format.js';
import { htmlElement as html } from '../../render/viewer/dom.js';
import { visibleText } from '../../render/visible-text.js';
import { blockerText, locksLine, lockText } from '../view/locks.js';
import type { Views } from '../view/views.js';
import type { FrameActions } from './graph/frame-actions.js';

const COLUMNS = ['Waited', 'Share', 'Waits', 'Average', 'Longest', 'At once'];

export class LocksArea {
  readonly element = html('div', { class: 'locks' });

  constructor(
    private readonly views: Views,
    private readonly actions: FrameActions,
  ) {}

  /** The list is of the whole recording: no choice of the page changes it. */
  show(): void {
    const { waits } = this.views.data;
    if (waits === null || this.element.hasChildNodes()) return;
    const locks = waits.locks.filter(({ isLock }) => isLock);
    const others = waits.locks.filter(({ isLock }) => !isLock);
    this.element.append(
      html('p', { class: 'above' }, locksLine(waits)),
      ...(locks.length > 0 ? [this.table(locks, 'Lock, and who held it')] : []),
      ...(others.length > 0 ? [this.table(others, 'Other objects that threads waited for')] : []),
    );
  }

  private table(locks: readonly WaitedLock[], title: string): HTMLElement {
    const allNs = locks.reduce((sum, { ns }) => sum + ns, 0);
    const heads = [...COLUMNS, title].map((name) => html('th', { scope: 'col' }, name));
    return html(
      'table',
      {},
      html('thead', {}, html('tr', {}, ...heads)),
      ...locks.map((lock) =>
        html('tbody', {}, this.lockRow(lock, allNs), ...lock.by.map((blocker) => blockerRow(blocker, lock))),
      ),
    );
  }

  private lockRow(lock: WaitedLock, allNs: number): HTMLElement {
    const { ns, waits, avgNs, maxNs, longestOpenNs, convoy, place } = lock;
    return html(
      'tr',
      { class: 'lock' },
      ...cells(ns, allNs, waits),
      cell(avgNs === null ? '–' : formatDuration(avgNs)),
      cell(formatLongest(maxNs, longestOpenNs > 0 ? longestOpenNs : null)),
      cell(formatCount(convoy)),
      html('th', { scope: 'row' }, lockText(lock), ...this.placeOf(place)),
    );
  }

  private placeOf(place: NamedPlace | null): (HTMLElement | string)[] {
    if (place === null) return [];
    const name = html('bdi', {}, visibleText(place.name));
    const symbol = this.views.symbolsByName()(place.name, place.dso);
    if (symbol === undefined || !this.views.canOpen(symbol)) return [', waited most in ', name];
    return [
      ', waited most in ',
      html('button', { type: 'button', class: 'name', click: () => this.actions.choose(symbol) }, name),
    ];
  }
}

function blockerRow(blocker: LockBlocker, { ns }: WaitedLock): HTMLElement {
  const text = blockerText(blocker);
  return html(
    'tr',
    { class: 'blocker' },
    ...cells(blocker.ns, ns, blocker.waits),
    ...[cell(''), cell(''), cell('')],
    html('th', { scope: 'row', title: text }, html('bdi', {}, text)),
  );
}

function cells(ns: number, allNs: number, waits: number): HTMLElement[] {
  return [formatDuration(ns), formatShare(ns, allNs), formatCount(waits)].map(cell);
}

function cell(text: string): HTMLElement {
  return html('td', {}, text);
}
