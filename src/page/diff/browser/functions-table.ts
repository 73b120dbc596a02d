/**
 * The table of functions: sorted by a click on a title, limited to those that a search finds.
 */

import type { FunctionChange, RowNumber } from '../../../render/diff/data.js';
import {
  formatAverageCount,
  formatDifference,
  formatDuration,
  formatMany,
  formatPercentChange,
  formatPercentile,
} from '../../../render/format.js';
import { htmlElement as html } from '../../../render/viewer/dom.js';
import { isolated } from '../../../render/visible-text.js';

export interface TableEvents {
  readonly sort: (sort: string) => void;
  readonly choose: (name: string) => void;
}

/** More rows would make the page slow; a search finds the others. */
const MAX_ROWS = 1000;

const TITLES: Readonly<Record<RowNumber, readonly [title: string, hint: string]>> = {
  totalNs: ['total', 'time with all that it calls'],
  selfNs: ['self', 'time of its own'],
  calls: ['calls', 'calls, complete or inferred'],
  avgNs: ['average', 'average duration of complete calls'],
  p99Ns: ['p99', '99 % of complete calls are not longer'],
};

export class FunctionsTable {
  readonly element = html('div', {});
  private readonly rows: readonly FunctionChange[];
  private readonly events: TableEvents;

  constructor(rows: readonly FunctionChange[], events: TableEvents) {
    this.rows = rows;
    this.events = events;
  }

  /** `isFound`: null without a search. */
  show(sort: string, isFound: ((name: string) => boolean) | null): void {
    const found = isFound ? this.rows.filter(({ name }) => isFound(name)) : this.rows;
    const sorted = sortedRows(found, sort);
    const left = sorted.length - MAX_ROWS;
    this.element.replaceChildren(
      html('table', {}, this.head(sort), html('tbody', {}, ...sorted.slice(0, MAX_ROWS).map((row) => this.row(row)))),
      ...(left > 0 ? [html('p', {}, `and ${formatMany(left, 'more function')}: search for them`)] : []),
      ...(sorted.length === 0 ? [html('p', {}, 'no functions')] : []),
    );
  }

  private head(sort: string): HTMLElement {
    const titles = Object.entries(TITLES).flatMap(([key, [title, hint]]) => [
      html('th', { scope: 'col', title: hint }, title),
      this.sortTitle(key, `Δ ${title}`, sort),
      html('th', { scope: 'col' }, html('span', { class: 'hidden' }, `Δ ${title}, `), '%'),
    ]);
    return html('thead', {}, html('tr', {}, this.sortTitle('name', 'function', sort), ...titles));
  }

  private sortTitle(key: string, title: string, sort: string): HTMLElement {
    const isSorted = sort === key || sort === `-${key}`;
    const isReversed = sort.startsWith('-');
    const button = html('button', { type: 'button' }, title, isSorted ? (isReversed ? ' ▴' : ' ▾') : '');
    button.addEventListener('click', () => {
      this.events.sort(sort === key ? `-${key}` : key);
      const again = this.element.querySelector<HTMLElement>(`[data-key="${key}"] button`);
      again?.focus();
    });
    const order = isSorted ? { 'aria-sort': isReversed ? 'ascending' : 'descending' } : {};
    return html('th', { scope: 'col', 'data-key': key, ...order }, button);
  }

  private row(row: FunctionChange): HTMLElement {
    const label = row.isNew ? '✚ new ' : row.isGone ? '✕ gone ' : '';
    const shown = isolated(row.name);
    const name = html('button', { type: 'button', title: `${shown}\nmark its frames` }, html('bdi', {}, shown));
    name.addEventListener('click', () => this.events.choose(row.name));
    const cells = (Object.keys(TITLES) as RowNumber[]).flatMap((key) => cellsOf(row, key));
    return html('tr', {}, html('th', { scope: 'row', ...(label && { class: 'labelled' }) }, label, name), ...cells);
  }
}

function cellsOf(row: FunctionChange, key: RowNumber): HTMLElement[] {
  const { before, after } = row[key];
  const text = TEXTS[key] ?? formatDuration;
  const now = html('td', {}, after === null ? '–' : text(after));
  if (before === null || after === null) return [now, html('td', {}, '–'), html('td', {}, '–')];
  const isNoise = key !== 'calls' && row.withinNoise[key];
  const kind = before === after ? 'equal' : isNoise ? 'noisy' : after > before ? 'up' : 'down';
  const sign = { equal: '', noisy: '≈ ', up: '▲ ', down: '▼ ' }[kind];
  const difference = key === 'calls' ? countChange(after - before) : formatDifference(after - before);
  const attributes = { class: kind, ...(isNoise && { title: 'within noise: calls vary that much anyway' }) };
  const percent = before > 0 ? formatPercentChange(before, after) : '–';
  return [now, html('td', attributes, sign + difference), html('td', attributes, percent)];
}

/** Of a side, shortest and longest are not in the file, so that only short percentiles are known to be exact. */
const UNKNOWN_RANGE = { minNs: null, maxNs: Number.NaN };

const TEXTS: Partial<Record<RowNumber, (value: number) => string>> = {
  calls: formatAverageCount,
  p99Ns: (ns) => formatPercentile(ns, UNKNOWN_RANGE),
};

function countChange(calls: number): string {
  return calls === 0 ? '0' : `${calls > 0 ? '+' : '−'}${formatAverageCount(Math.abs(calls))}`;
}

/** Numbers by the size of the change, names by letters; equal ones as in the file. */
function sortedRows(rows: readonly FunctionChange[], sort: string): FunctionChange[] {
  const key = sort.replace(/^-/, '');
  const direction = sort.startsWith('-') ? -1 : 1;
  if (key === 'name') return rows.toSorted((a, b) => direction * (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  const column = (key in TITLES ? key : 'totalNs') as RowNumber;
  const change = ({ [column]: { before, after } }: FunctionChange) => Math.abs((after ?? 0) - (before ?? 0));
  return rows.toSorted((a, b) => direction * (change(b) - change(a)));
}
