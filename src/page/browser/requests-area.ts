/**
 * The view Requests: a list, where the time of typical and of slow ones goes, and one of them thread by thread.
 */

import type { SymbolId } from '../../model/units.js';
import { formatDifference, formatDuration } from '../../render/format.js';
import { classOf, familyOf } from '../../render/frames/colours.js';
import { type Libraries, librariesOf } from '../../render/frames/libraries.js';
import { htmlElement as html, setAttributes } from '../../render/viewer/dom.js';
import { button } from '../../render/viewer/search-field.js';
import type {
  ListedFunction,
  ListedPart,
  ListedRequest,
  ListedSpan,
  PageRequests,
  RequestPlace,
} from '../data/requests.js';
import {
  chosenRequest,
  isKnown,
  placeText,
  reasonText,
  requestsLine,
  showRequest,
  waitsOf,
  waitText,
} from '../view/requests.js';
import { shownName } from '../view/shown-names.js';
import type { State } from '../view/state.js';
import type { Views } from '../view/views.js';
import type { StackChart } from './chart/stack-chart.js';
import type { FrameActions } from './graph/frame-actions.js';
import type { Navigation } from './platform/navigation.js';

export class RequestsArea {
  readonly element = html('div', { class: 'requests' });
  private libraries: Libraries | null = null;

  constructor(
    private readonly views: Views,
    private readonly navigation: Navigation,
    private readonly actions: FrameActions,
    private readonly chart: StackChart,
  ) {}

  show(state: State): void {
    const { requests } = this.views;
    if (requests === null) return;
    const chosen = chosenRequest(requests, state, this.originNs);
    const hadFocus = this.element.contains(document.activeElement);
    this.element.replaceChildren(
      html(
        'p',
        { class: 'above' },
        html('strong', {}, html('bdi', {}, requests.name)),
        html('span', {}, requestsLine(requests)),
      ),
      html('div', { class: 'requests-both' }, this.list(requests, chosen), placesTable(requests)),
      ...(chosen === null ? [] : this.details(chosen, requests)),
    );
    if (hadFocus) this.element.querySelector<HTMLElement>('[aria-pressed="true"]')?.focus();
  }

  private get originNs(): number {
    return this.views.timeline?.startNs ?? this.views.data.meta.startNs;
  }

  private list({ listed, minNs }: PageRequests, chosen: ListedRequest | null): HTMLElement {
    const longestNs = listed[0]?.durationNs ?? 0;
    const rows = listed.map((request) => {
      const { rank, durationNs, waitingNs, parts, comm, tid } = request;
      const bar = html('span', { class: 'request-bar' }, html('span', {}), html('span', {}));
      bar.style.width = `${(100 * durationNs) / Math.max(1, longestNs)}%`;
      (bar.lastElementChild as HTMLElement).style.width = `${(100 * waitingNs) / Math.max(1, durationNs)}%`;
      const thread = comm ?? `${tid}`;
      const isKnown = parts.length === 0 ? '; its calls are not in this page' : '';
      return html(
        'button',
        {
          type: 'button',
          class: 'request',
          'aria-pressed': request === chosen,
          title: `${thread} ${tid}: ${formatDuration(durationNs)}, of it ${formatDuration(waitingNs)} waiting${isKnown}. Shows only its time`,
          click: () => this.navigation.change(showRequest(request, this.originNs)),
        },
        html('span', { class: 'quiet' }, `#${rank}`),
        html('strong', {}, formatDuration(durationNs)),
        html('bdi', {}, thread),
        html('span', { 'aria-hidden': 'true' }, bar),
      );
    });
    const caption = `running, waiting; waits shorter than ${formatDuration(minNs)} count as running`;
    return html('div', { role: 'group', 'aria-label': 'Requests' }, ...rows, html('p', { class: 'quiet' }, caption));
  }

  private details(request: ListedRequest, requests: PageRequests): HTMLElement[] {
    const { rank, parts, durationNs } = request;
    if (parts.length === 0)
      return [
        html('p', { class: 'quiet' }, `What happened in #${rank} is not in this page: ptflame requests lists it.`),
      ];
    const fromNs = Math.min(0, ...parts.map((part) => part.startNs));
    const toNs = Math.max(durationNs, ...parts.map((part) => part.startNs + part.durationNs));
    const others = parts.length > 1 && !requests.isFlowNamed ? '; others were found by wakings alone' : '';
    return [
      html('h3', {}, `#${rank}, thread by thread`, html('small', {}, `${formatDuration(durationNs)}${others}`)),
      ...this.waits(request),
      ...parts.map((part) => this.part(part, requests.functions, fromNs, toNs)),
    ];
  }

  /** Its longest waits, and who ended them. */
  private waits(request: ListedRequest): HTMLElement[] {
    const waits = waitsOf(request, this.views.wakings, this.originNs);
    const buttons = waits.map((waking) =>
      button(waitText(waking), 'show it in the timeline', () => this.chart.links.openWait(waking)),
    );
    return buttons.length === 0 ? [] : [html('div', { class: 'group' }, ...buttons)];
  }

  private part(
    { tid, comm, isCandidate, spans }: ListedPart,
    functions: PageRequests['functions'],
    fromNs: number,
    toNs: number,
  ): HTMLElement {
    const name = `${isCandidate ? 'maybe ' : ''}${comm === null ? tid : `${comm} ${tid}`}`;
    const longest = [...spans].sort((a, b) => b[3] - a[3]).slice(0, MAX_SPOKEN);
    const chart = html('div', {
      class: 'request-chart',
      role: 'img',
      'aria-label': `${name}: ${longest.map(([, fn, , ns]) => `${functions[fn]?.[0]} ${formatDuration(ns)}`).join(', ')}`,
    });
    const depth = spans.reduce((most, span) => Math.max(most, span[0]), 0) + 1;
    chart.style.height = `${depth * ROW_PX}px`;
    chart.append(...spans.map((span) => this.span(span, functions[span[1]] as ListedFunction, fromNs, toNs)));
    return html('div', { class: 'request-part' }, html('bdi', { title: name }, name), chart);
  }

  private span(
    [depth, , startNs, durationNs, inferred]: ListedSpan,
    fn: ListedFunction,
    fromNs: number,
    toNs: number,
  ): HTMLElement {
    const [name] = fn;
    const symbol = this.views.symbolsByName()(...fn);
    const shown = shownName(name);
    const note = inferred ? ', at least: its start or end was not seen' : '';
    const box = html('div', { title: `${shown}: ${formatDuration(durationNs)}${note}` }, html('bdi', {}, shown));
    const part = (ns: number) => `${(100 * ns) / Math.max(1, toNs - fromNs)}%`;
    Object.assign(box.style, { left: part(startNs - fromNs), width: part(durationNs), top: `${depth * ROW_PX}px` });
    if (symbol === undefined) return box;
    box.style.background = `var(--${this.colourOf(symbol)})`;
    box.addEventListener('click', () => this.actions.choose(symbol));
    return box;
  }

  private colourOf(symbol: SymbolId): string {
    const { symbols } = this.views.data;
    this.libraries ??= librariesOf(symbols);
    return classOf(familyOf(symbol, symbols), symbols.name[symbol] as string, this.libraries.of[symbol] ?? null);
  }
}

const ROW_PX = 20;
const MAX_SPOKEN = 6;

function placesTable(requests: PageRequests): HTMLElement {
  const { where, whereLeftOut, typical, slowest } = requests;
  const group = (of: PageRequests['typical']) =>
    of === null ? '' : `average of ${of.requests}, ${formatDuration(of.minNs)} to ${formatDuration(of.maxNs)}`;
  const table = html(
    'table',
    {},
    html(
      'tr',
      {},
      html('th', { scope: 'col' }, 'Where the time goes'),
      html('th', { scope: 'col', title: group(typical) }, 'Typical'),
      html('th', { scope: 'col', title: group(slowest) }, 'Slowest'),
      html('th', { scope: 'col' }, 'Difference'),
    ),
    ...where.map((row) => placeRow(row, requests)),
  );
  const rest = whereLeftOut === 0 ? [] : [html('p', { class: 'quiet' }, `${whereLeftOut} more rows: ptflame requests`)];
  return html('div', { class: 'requests-where' }, table, ...rest);
}

function placeRow(row: RequestPlace, requests: PageRequests): HTMLElement {
  const { isOwn, typicalNs, slowestNs } = row;
  const [isTypical, isSlowest] = [typicalNs, slowestNs].map((ns) => isKnown(ns, row, requests));
  const cell = (ns: number, known: boolean | undefined) => html('td', {}, known ? formatDuration(ns) : 'not known');
  const name = placeText(row);
  const change = html('td', {});
  if (isTypical && isSlowest && slowestNs !== typicalNs) {
    setAttributes(change, { class: slowestNs > typicalNs ? 'more' : 'less' });
    change.append(`${slowestNs > typicalNs ? '▲' : '▼'} ${formatDifference(slowestNs - typicalNs)}`);
  }
  return html(
    'tr',
    {},
    html(
      'th',
      { scope: 'row', title: name },
      ...(isOwn ? [] : [html('span', { class: 'quiet' }, 'other thread: ')]),
      html('bdi', {}, name),
      html('span', { class: 'quiet' }, ` ${reasonText(row)}`),
    ),
    cell(typicalNs, isTypical),
    cell(slowestNs, isSlowest),
    change,
  );
}
