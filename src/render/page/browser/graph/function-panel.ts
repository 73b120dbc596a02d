/**
 * The panel of the selected function: numbers, durations of calls, callers and callees.
 */
import { formatCalls, formatCount, formatDuration, formatLongest, formatShare } from '../../../format.js';
import { button, iconButton } from '../../../viewer/buttons.js';
import { htmlElement as html } from '../../../viewer/dom.js';
import type { Colouring } from '../../view/state.js';
import type { FunctionView } from '../../view/views.js';
import { CallersOrCallees, type CallersOrCalleesEvents } from './callers-or-callees.js';
import { histogramPicture } from './histogram.js';
import type { Tooltip } from './tooltip.js';

export interface FunctionEvents extends CallersOrCalleesEvents {
  readonly focus: () => void;
  readonly hide: () => void;
  readonly close: () => void;
}

export class FunctionPanel {
  readonly element = html('section', { class: 'function', 'aria-label': 'Selected function', hidden: '' });
  private readonly name = html('h2', {});
  private readonly numbers = html('div', {});
  private readonly callers: CallersOrCallees;
  private readonly callees: CallersOrCallees;
  private readonly events: FunctionEvents;

  constructor(characterPx: number, tooltip: Tooltip, events: FunctionEvents) {
    this.events = events;
    this.callers = new CallersOrCallees('Callers', false, characterPx, tooltip, events);
    this.callees = new CallersOrCallees('Callees', true, characterPx, tooltip, events);
    this.element.append(this.title(), this.numbers, this.callers.element, this.callees.element);
  }

  show(view: FunctionView | null, colouring: Colouring): void {
    this.element.hidden = view === null;
    if (view === null) return;
    this.name.replaceChildren(html('bdi', {}, view.name));
    this.name.title = [view.name, view.file].filter(Boolean).join('\n');
    this.numbers.replaceChildren(
      numbers(view),
      ...(view.bars.length === 0 ? [] : [histogramPicture(view.bars, view.sums, 320, 40)]),
    );
    this.callers.show(view.callers, colouring);
    this.callees.show(view.callees, colouring);
  }

  private title(): HTMLElement {
    const { focus, hide, close } = this.events;
    return html(
      'div',
      { class: 'function-title' },
      this.name,
      button('Focus', 'show only this function and its callees (f)', focus),
      button('Hide', 'hide this function and its callees (h)', hide),
      iconButton('✕', 'Close', 'close (Esc)', close),
    );
  }
}

function numbers({ sums, allNs }: FunctionView): HTMLElement {
  const duration = (ns: number) => (Number.isNaN(ns) ? '–' : formatDuration(ns));
  const rows = [
    ['total', `${duration(sums.totalNs)} · ${formatShare(sums.totalNs, allNs)}`],
    ['self', duration(sums.selfNs)],
    ['outside', `${duration(sums.outsideNs)} · self ${duration(sums.outsideSelfNs)}`],
    ['calls', `${formatCalls(sums.calls, sums.inferred)}${sums.inferred > 0 ? ' complete' : ''}`],
    ['inferred', formatCount(sums.inferred)],
    ...(sums.unwound > 0 ? [['unwound', formatCount(sums.unwound)] as const] : []),
    ['average', duration(sums.avgNs)],
    ['min', duration(sums.minNs)],
    ['p50', duration(sums.p50Ns)],
    ['p90', duration(sums.p90Ns)],
    ['p99', duration(sums.p99Ns)],
    ['max', formatLongest(sums.maxNs, sums.longestCutNs)],
  ] as const;
  return html('dl', {}, ...rows.map(([label, value]) => html('div', {}, html('dt', {}, label), html('dd', {}, value))));
}
