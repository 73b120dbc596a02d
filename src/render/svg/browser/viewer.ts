/**
 * What a reader does in the picture: every zoom and search goes into the address, and what the address says is drawn.
 */
import { weightOfRun } from '../../../layout/layout.js';
import { ROOT } from '../../../model/call-tree.js';
import type { NodeId } from '../../../model/units.js';
import { factsOf } from '../../frames/facts.js';
import { besideOf, calleeOf, callerOf } from '../../frames/neighbours.js';
import { type Found, find, foundText, matchNames, shareOf } from '../../frames/search.js';
import { byId } from '../../viewer/dom.js';
import { readData } from '../data.js';
import { HELP } from './help.js';
import { keepHeadInSight } from './page.js';
import { Picture } from './picture.js';
import { formatHash, parseHash, type State } from './state.js';
import { Toolbar } from './toolbar.js';
import { Tooltip } from './tooltip.js';

export class Viewer {
  private readonly data = readData(byId('data').textContent ?? '');
  private readonly picture = new Picture(this.data);
  private readonly tooltip = new Tooltip(this.picture.characterPx);
  private readonly toolbar = new Toolbar({
    search: (search) => this.go({ ...this.state, search }),
    reset: () => this.zoom(ROOT, ROOT),
    help: () => this.toggleHelp(),
    leave: () => this.focus(this.focused),
  });
  private state: State = parseHash(location.hash, this.data.table);
  /** Where Esc goes back to. */
  private readonly before: State[] = [];
  private focused = 0;
  private isHelping = false;

  start(): void {
    const boxes = byId('boxes');
    boxes.addEventListener('pointermove', (event) => this.hover(event));
    boxes.addEventListener('pointerleave', () => this.leaveBox());
    boxes.addEventListener('click', ({ target }) => this.enter(this.picture.boxOf(target)));
    // Not on the boxes: Chromium lets the focus rest on a group that listens for it.
    document.addEventListener('focusin', ({ target }) => this.showFocus(target));
    document.addEventListener('focusout', () => this.leaveBox());
    document.addEventListener('keydown', (event) => this.press(event));
    addEventListener('hashchange', () => this.follow());
    addEventListener('resize', () => this.draw());
    addEventListener('scroll', keepHeadInSight);
    this.draw();
    this.picture.scrollTo(this.picture.boxes.firstOfRun);
  }

  /** The address was changed by the reader, or by the browser's way back. */
  private follow(): void {
    const state = parseHash(location.hash, this.data.table);
    if (formatHash(state) !== formatHash(this.state)) this.show(state);
  }

  private show(state: State): void {
    const isZoomed = state.first !== this.state.first || state.last !== this.state.last;
    this.state = state;
    this.draw();
    if (!isZoomed) return;
    this.focused = this.picture.boxes.firstOfRun;
    this.picture.scrollTo(this.focused);
  }

  private draw(): void {
    const { search } = this.state;
    const { isMatch, problem } = matchNames(this.data.table.names, search);
    const found = isMatch && find(this.data.table, isMatch);
    const hadFocus = byId('boxes').contains(document.activeElement);
    this.picture.draw(this.state, found);
    this.focused = Math.min(this.focused, this.picture.boxes.length - 1);
    this.leaveBox();
    if (hadFocus) this.focus(this.picture.boxes.firstOfRun);
    else this.picture.offer(this.picture.boxes.firstOfRun);
    this.toolbar.show(search, problem || this.resultOf(found), problem === '', this.state.first !== ROOT);
    this.toolbar.moveTo(this.picture.widthPx, this.picture.headPx);
  }

  private resultOf(found: Found | null): string {
    if (found === null) return '';
    const share = shareOf(this.data.table, found, this.state.first, this.state.last);
    return foundText(share, weightOfRun(this.picture.boxes), found.matches[ROOT] as number);
  }

  private go(state: State): void {
    const hash = formatHash(state);
    if (hash === formatHash(this.state)) return;
    if (state.search !== this.state.search)
      location.replace(hash); // a letter typed is no step to go back
    else location.hash = hash;
    this.show(state);
  }

  private zoom(first: NodeId, last: NodeId): void {
    if (first === this.state.first && last === this.state.last) return;
    this.before.push(this.state);
    this.go({ ...this.state, first, last });
  }

  private enter(box: number | null): void {
    if (box === null) return;
    const { node, lastNode } = this.picture.boxes;
    this.focused = box;
    this.zoom(node[box], lastNode[box]);
  }

  private goBack(): void {
    const { search } = this.state;
    if (this.isHelping) this.toggleHelp();
    else if (search !== '') this.go({ ...this.state, search: '' });
    else this.go({ ...(this.before.pop() ?? { first: ROOT, last: ROOT }), search });
  }

  private press(event: KeyboardEvent): void {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const action = this.actionOf(event.key);
    const isOnButton = event.key === 'Enter' && event.target instanceof HTMLElement;
    if (action === undefined || isOnButton) return;
    event.preventDefault();
    action();
  }

  private actionOf(key: string): (() => void) | undefined {
    const { boxes } = this.picture;
    const [up, down] = this.data.settings.isIcicle ? [callerOf, calleeOf] : [calleeOf, callerOf];
    const actions: Readonly<Record<string, () => void>> = {
      ArrowUp: () => this.focus(up(boxes, this.focused)),
      ArrowDown: () => this.focus(down(boxes, this.focused)),
      ArrowLeft: () => this.focus(besideOf(boxes, this.focused, -1)),
      ArrowRight: () => this.focus(besideOf(boxes, this.focused, 1)),
      Enter: () => this.enter(this.focused),
      Escape: () => this.goBack(),
      '/': () => this.toolbar.focus(),
      r: () => this.zoom(ROOT, ROOT),
      '?': () => this.toggleHelp(),
    };
    return actions[key];
  }

  private focus(box: number): void {
    this.picture.focus(box);
  }

  private showFocus(target: EventTarget | null): void {
    const box = this.picture.boxOf(target);
    if (box === null) return;
    this.focused = box;
    this.picture.markBox(box, true);
    const { xPx, yPx } = this.picture.placeOf(box);
    this.explain(box, xPx, yPx + 8);
  }

  private hover(event: PointerEvent): void {
    const box = this.picture.boxOf(event.target);
    if (box === null || this.isHelping) return;
    this.picture.markBox(box, false);
    this.explain(box, event.pageX, event.pageY);
  }

  private explain(box: number, xPx: number, yPx: number): void {
    const { boxes, widthPx } = this.picture;
    this.tooltip.show(factsOf(this.data.table, boxes, box), xPx, yPx, widthPx);
  }

  private leaveBox(): void {
    if (this.isHelping) return;
    this.picture.unmark();
    this.tooltip.hide();
  }

  private toggleHelp(): void {
    this.isHelping = !this.isHelping;
    if (!this.isHelping) return this.leaveBox();
    const { widthPx, headPx } = this.picture;
    this.tooltip.show(HELP, widthPx, window.scrollY + headPx, widthPx);
  }
}
