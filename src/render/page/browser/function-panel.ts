/**
 * One function: its numbers, how long its calls took, who called it and what it called.
 */
import { ROOT } from '../../../model/call-tree.js';
import { NONE, type NodeId } from '../../../model/units.js';
import { htmlElement as html } from '../../browser/dom.js';
import { formatCount, formatDuration } from '../../format.js';
import { factsText, formatShare } from '../../frames/facts.js';
import type { FrameTable } from '../../frames/frame-table.js';
import { painterOf } from '../view/colouring.js';
import { detailsOf } from '../view/details.js';
import type { Colouring } from '../view/state.js';
import type { FunctionView } from '../view/views.js';
import { button, iconButton } from './controls.js';
import { Graph } from './graph.js';
import { histogramPicture } from './histogram.js';
import type { Tooltip } from './tooltip.js';

export interface FunctionEvents {
  readonly focus: () => void;
  readonly hide: () => void;
  readonly close: () => void;
}

export class FunctionPanel {
  readonly element = html('section', { class: 'function', 'aria-label': 'Chosen function', hidden: '' });
  private readonly head = html('div', {});
  private readonly callers: Half;
  private readonly callees: Half;
  private readonly events: FunctionEvents;

  constructor(characterPx: number, tooltip: Tooltip, events: FunctionEvents) {
    this.events = events;
    this.callers = new Half('Callers: who called it', false, characterPx, tooltip);
    this.callees = new Half('Callees: what it called', true, characterPx, tooltip);
    this.element.append(this.head, this.callers.element, this.callees.element);
  }

  show(view: FunctionView | null, colouring: Colouring): void {
    this.element.hidden = view === null;
    if (view === null) return;
    this.head.replaceChildren(
      this.title(view),
      numbers(view),
      ...(view.bars.length === 0 ? [] : [histogramPicture(view.bars, 300, 40)]),
    );
    this.callers.show(view.callers, colouring);
    this.callees.show(view.callees, colouring);
  }

  private title({ name, file }: FunctionView): HTMLElement {
    const { focus, hide, close } = this.events;
    return html(
      'div',
      { class: 'function-title' },
      html('h2', { title: [name, file].filter(Boolean).join('\n') }, name),
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
    ['outside', duration(sums.outsideNs)],
    ['calls', formatCount(sums.calls)],
    ['inferred', formatCount(sums.inferred)],
    ['average', duration(sums.avgNs)],
    ['min', duration(sums.minNs)],
    ['p50', duration(sums.p50Ns)],
    ['p90', duration(sums.p90Ns)],
    ['p99', duration(sums.p99Ns)],
    ['max', duration(sums.maxNs)],
  ] as const;
  return html('dl', {}, ...facts.map(([what, value]) => html('div', {}, html('dt', {}, what), html('dd', {}, value))));
}

/** Callers or callees, with a zoom of their own. */
class Half {
  readonly element: HTMLElement;
  private readonly graph: Graph;
  private readonly isIcicle: boolean;
  private table: FrameTable | null = null;
  private colouring: Colouring = 'function';
  private run: readonly [NodeId, NodeId] = [ROOT, ROOT];

  constructor(label: string, isIcicle: boolean, characterPx: number, tooltip: Tooltip) {
    this.isIcicle = isIcicle;
    const place = html('div', { class: 'graph', 'aria-label': label });
    const facts = (box: number) => detailsOf(this.table as FrameTable, this.graph.boxes, box, 'wall', null);
    const explain = (box: number, xPx: number, yPx: number) => {
      this.graph.markBox(box);
      tooltip.show(facts(box), null, xPx, yPx);
    };
    this.graph = new Graph(
      place,
      characterPx,
      {
        hover: (box, { clientX, clientY }) => explain(box, clientX, clientY),
        leave: () => {
          tooltip.hide();
          this.graph.unmark();
        },
        enter: (box) => this.enter(box),
        focused: (box, element) => {
          const { left, bottom } = element.getBoundingClientRect();
          explain(box, left, bottom);
        },
        menu: () => {},
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
    this.graph.draw({
      table,
      first,
      last,
      isIcicle,
      painter: painterOf(table, this.colouring),
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

  private press(event: KeyboardEvent): void {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === 'Enter') this.enter(this.graph.focusedBox);
    else if (!this.graph.step(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  }
}

/** The function itself, under the root that stands for everything. */
function firstOf({ firstChild }: FrameTable): NodeId {
  return firstChild[ROOT] === NONE ? ROOT : (firstChild[ROOT] as NodeId);
}
