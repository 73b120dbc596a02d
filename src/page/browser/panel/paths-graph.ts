/**
 * A small flame graph in the panel, with its own zoom.
 */
import { ROOT } from '../../../model/calls/call-tree.js';
import { NONE, type NodeId, type SymbolId } from '../../../model/units.js';
import { detailsText, frameDetails, symbolAt } from '../../../render/frames/frame-details.js';
import type { FrameTable } from '../../../render/frames/frame-table.js';
import { consume, htmlElement as html, showText } from '../../../render/viewer/dom.js';
import { isShortcut } from '../../../render/viewer/search-field.js';
import type { Tooltip } from '../../../render/viewer/tooltip.js';
import { painterOf } from '../../view/colouring.js';
import type { FrameActions } from '../graph/frame-actions.js';
import { Graph } from '../graph/graph.js';

export class PathsGraph {
  readonly element: HTMLElement;
  private readonly graph: Graph;
  private readonly note = html('span', {});
  private table: FrameTable | null = null;
  private siblings: readonly [NodeId, NodeId] = [ROOT, ROOT];

  /** `root`: what the root represents. */
  constructor(
    label: string,
    root: string,
    characterPx: number,
    tooltip: Tooltip,
    private readonly actions: FrameActions,
  ) {
    const container = html('div', { class: 'graph', role: 'group', 'aria-label': label });
    const details = (box: number) => frameDetails(this.table as FrameTable, this.graph.boxes, box, root);
    const showTooltip = (box: number, xPx: number, yPx: number) => {
      this.graph.markBox(box);
      tooltip.show(details(box), xPx, yPx);
    };
    const hide = () => {
      tooltip.hide();
      this.graph.unmark();
    };
    this.graph = new Graph(
      container,
      characterPx,
      {
        hover: (box, { clientX, clientY }) => showTooltip(box, clientX, clientY),
        leave: hide,
        hide,
        activate: (box) => this.zoomTo(box),
        focused: (box, element) => {
          const { left, bottom } = element.getBoundingClientRect();
          showTooltip(box, left, bottom);
        },
        menu: (box, { clientX, clientY }) => this.openMenu(box, clientX, clientY),
      },
      (box) => detailsText(details(box)),
    );
    this.element = html('div', { class: 'paths-graph' }, html('h3', {}, label, this.note), container);
    container.addEventListener('keydown', (event) => this.press(event));
  }

  /** `note`: shown after the label. */
  show(table: FrameTable, note = ''): void {
    showText(this.note, note);
    if (table !== this.table) this.siblings = [firstOf(table), firstOf(table)];
    this.table = table;
    this.draw();
  }

  private draw(): void {
    const { table, siblings } = this;
    if (table === null) return;
    const [first, last] = siblings;
    this.graph.drawView({
      table,
      first,
      last,
      isIcicle: true,
      classOf: painterOf(table, 'function').classOf,
      isMarked: null,
      ...(first === firstOf(table) && { maxCallers: 0 }),
    });
    this.graph.setTabStop(this.graph.boxes.viewStart);
    this.graph.scrollToView();
  }

  private zoomTo(box: number): void {
    const { node, lastNode } = this.graph.boxes;
    this.siblings = [node[box] as NodeId, lastNode[box] as NodeId];
    const hadFocus = this.graph.hasFocus;
    this.draw();
    if (hadFocus) this.graph.focus(this.graph.boxes.viewStart);
  }

  private symbolOf(box: number): SymbolId | null {
    return symbolAt(this.table as FrameTable, this.graph.boxes, box);
  }

  private open(box: number): void {
    const symbol = this.symbolOf(box);
    if (symbol !== null) this.actions.open(symbol);
  }

  private openMenu(box: number, xPx: number, yPx: number): void {
    const symbol = this.symbolOf(box);
    if (symbol !== null) this.actions.openMenu(symbol, xPx, yPx, () => this.graph.focus(box));
  }

  private openMenuByKey(box: number): void {
    const area = this.graph.rectangleOf(box);
    if (area) this.openMenu(box, area.left, area.bottom);
  }

  private press(event: KeyboardEvent): void {
    if (isShortcut(event)) return;
    const { focusedBox } = this.graph;
    if (event.key === 'Enter') this.zoomTo(focusedBox);
    else if (event.key === 'o') this.open(focusedBox);
    else if (event.key === 'm') this.openMenuByKey(focusedBox);
    else if (!this.graph.moveFocus(event.key)) return;
    consume(event);
  }
}

/** Returns the node of the function itself, the only child of the root; else the root. */
function firstOf({ firstChild, nextSibling }: FrameTable): NodeId {
  const first = firstChild[ROOT] as NodeId;
  return first === NONE || nextSibling[first] !== NONE ? ROOT : first;
}
