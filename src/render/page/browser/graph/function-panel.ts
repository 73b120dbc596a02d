/**
 * One function: its numbers, how long its calls took, who called it and what it called.
 */
import { ROOT } from '../../../../model/call-tree.js';
import { NONE, type NodeId, type SymbolId } from '../../../../model/units.js';
import { formatCalls, formatCount, formatDuration, formatLongest, formatShare } from '../../../format.js';
import { factsOf, factsText, symbolAt } from '../../../frames/facts.js';
import type { FrameTable } from '../../../frames/frame-table.js';
import { button, iconButton } from '../../../viewer/buttons.js';
import { htmlElement as html } from '../../../viewer/dom.js';
import { isShortcut } from '../../../viewer/keys.js';
import { painterOf } from '../../view/colouring.js';
import type { Colouring } from '../../view/state.js';
import type { FunctionView } from '../../view/views.js';
import { Graph } from './graph.js';
import { histogramPicture } from './histogram.js';
import type { Tooltip } from './tooltip.js';

export interface FunctionEvents {
  readonly focus: () => void;
  readonly hide: () => void;
  readonly close: () => void;
  /** What can be done with another function, beside a point of the window; `back` takes the focus again. */
  readonly menu: (symbol: SymbolId, xPx: number, yPx: number, back: () => void) => void;
  readonly open: (symbol: SymbolId) => void;
}

export class FunctionPanel {
  readonly element = html('section', { class: 'function', 'aria-label': 'Chosen function', hidden: '' });
  private readonly name = html('h2', {});
  private readonly numbers = html('div', {});
  private readonly callers: Half;
  private readonly callees: Half;
  private readonly events: FunctionEvents;

  constructor(characterPx: number, tooltip: Tooltip, events: FunctionEvents) {
    this.events = events;
    this.callers = new Half('Callers: who called it', false, characterPx, tooltip, events);
    this.callees = new Half('Callees: what it called', true, characterPx, tooltip, events);
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
      button('Focus', 'only what is inside of it (f)', focus),
      button('Hide', 'all but what is inside of it (h)', hide),
      iconButton('✕', 'Close', 'close (Esc)', close),
    );
  }
}

function numbers({ sums, allNs }: FunctionView): HTMLElement {
  const duration = (ns: number) => (Number.isNaN(ns) ? '–' : formatDuration(ns));
  const facts = [
    ['total', `${duration(sums.totalNs)} · ${formatShare(sums.totalNs, allNs)}`],
    ['self', duration(sums.selfNs)],
    ['outside', `${duration(sums.outsideNs)} · self ${duration(sums.outsideSelfNs)}`],
    ['calls', `${formatCalls(sums.calls, sums.inferred)}${sums.inferred > 0 ? ' whole' : ''}`],
    ['cut', formatCount(sums.inferred)],
    ...(sums.unwound > 0 ? [['unwound', formatCount(sums.unwound)] as const] : []),
    ['average', duration(sums.avgNs)],
    ['min', duration(sums.minNs)],
    ['p50', duration(sums.p50Ns)],
    ['p90', duration(sums.p90Ns)],
    ['p99', duration(sums.p99Ns)],
    ['max', formatLongest(sums.maxNs, sums.longestCutNs)],
  ] as const;
  return html('dl', {}, ...facts.map(([what, value]) => html('div', {}, html('dt', {}, what), html('dd', {}, value))));
}

/** Callers or callees, with a zoom of their own. */
class Half {
  readonly element: HTMLElement;
  private readonly graph: Graph;
  private readonly isIcicle: boolean;
  private readonly events: FunctionEvents;
  private table: FrameTable | null = null;
  private colouring: Colouring = 'function';
  private run: readonly [NodeId, NodeId] = [ROOT, ROOT];

  constructor(label: string, isIcicle: boolean, characterPx: number, tooltip: Tooltip, events: FunctionEvents) {
    this.isIcicle = isIcicle;
    this.events = events;
    const place = html('div', { class: 'graph', role: 'group', 'aria-label': label });
    const facts = (box: number) => factsOf(this.table as FrameTable, this.graph.boxes, box, 'this function');
    const explain = (box: number, xPx: number, yPx: number) => {
      this.graph.markBox(box);
      tooltip.show(facts(box), null, xPx, yPx);
    };
    const hide = () => {
      tooltip.hide();
      this.graph.unmark();
    };
    this.graph = new Graph(
      place,
      characterPx,
      {
        hover: (box, { clientX, clientY }) => explain(box, clientX, clientY),
        leave: hide,
        hide,
        enter: (box) => this.enter(box),
        focused: (box, element) => {
          const { left, bottom } = element.getBoundingClientRect();
          explain(box, left, bottom);
        },
        menu: (box, { clientX, clientY }) => this.openMenu(box, clientX, clientY),
      },
      (box) => factsText(facts(box)),
    );
    this.element = html('div', { class: isIcicle ? 'half callees' : 'half callers' }, html('h3', {}, label), place);
    place.addEventListener('keydown', (event) => this.press(event));
  }

  show(table: FrameTable, colouring: Colouring): void {
    if (table !== this.table) this.run = [firstOf(table), firstOf(table)];
    this.table = table;
    this.colouring = colouring;
    this.draw();
  }

  private draw(): void {
    const { table, isIcicle, run } = this;
    if (table === null) return;
    const [first, last] = run;
    this.graph.drawView({
      table,
      first,
      last,
      isIcicle,
      // how much of a function's time was outside is not known by caller
      classOf: painterOf(table, isIcicle || this.colouring !== 'outside' ? this.colouring : 'function').classOf,
      isMarked: null,
      ...(first === firstOf(table) && { mostCallers: 0 }),
    });
    this.graph.offer(this.graph.boxes.firstOfRun);
    this.graph.showRun();
  }

  private enter(box: number): void {
    const { node, lastNode } = this.graph.boxes;
    this.run = [node[box] as NodeId, lastNode[box] as NodeId];
    const hadFocus = this.graph.hasFocus;
    this.draw();
    if (hadFocus) this.graph.focus(this.graph.boxes.firstOfRun);
  }

  private symbolOf(box: number): SymbolId | null {
    return symbolAt(this.table as FrameTable, this.graph.boxes, box);
  }

  private open(box: number): void {
    const symbol = this.symbolOf(box);
    if (symbol !== null) this.events.open(symbol);
  }

  private openMenu(box: number, xPx: number, yPx: number): void {
    const symbol = this.symbolOf(box);
    if (symbol !== null) this.events.menu(symbol, xPx, yPx, () => this.graph.focus(box));
  }

  private openMenuByKey(box: number): void {
    const place = this.graph.rectangleOf(box);
    if (place) this.openMenu(box, place.left, place.bottom);
  }

  private press(event: KeyboardEvent): void {
    if (isShortcut(event)) return;
    const { focusedBox } = this.graph;
    if (event.key === 'Enter') this.enter(focusedBox);
    else if (event.key === 'o') this.open(focusedBox);
    else if (event.key === 'm') this.openMenuByKey(focusedBox);
    else if (!this.graph.step(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  }
}

/** The function itself, under the root that stands for everything. */
function firstOf({ firstChild }: FrameTable): NodeId {
  return firstChild[ROOT] === NONE ? ROOT : (firstChild[ROOT] as NodeId);
}
