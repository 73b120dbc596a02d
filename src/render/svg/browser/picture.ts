/**
 * Draws what is looked at, in the place of what the file shows.
 */
import { type Boxes, layout } from '../../../layout/layout.js';
import { type Drawing, hatchPath, px, type Rectangle, ROW_PX, rectangles } from '../../frames/drawing.js';
import { factsOf, factsText } from '../../frames/facts.js';
import { type Found, isFoundIn } from '../../frames/search.js';
import { byId, setAttributes, svgElement } from '../../viewer/dom.js';
import type { SvgData } from '../data.js';
import { HEAD } from '../head-shape.js';
import { keepHeadInSight, layOutHead, measureCharacterPx, resize, windowWidthPx } from './page.js';
import type { State } from './state.js';

export class Picture {
  boxes!: Boxes;
  widthPx = 0;
  headPx = 0;
  readonly characterPx = measureCharacterPx();
  private readonly data: SvgData;
  private readonly boxAt = new Map<EventTarget, number>();
  private readonly rectangle = new Map<number, Rectangle>();
  private readonly element = new Map<number, SVGRectElement>();
  private readonly mark = svgElement('rect', { id: 'mark', rx: 2, visibility: 'hidden' });
  private mostRows = 0;

  constructor(data: SvgData) {
    this.data = data;
    byId('frames').append(this.mark);
  }

  draw({ first, last }: State, found: Found | null): void {
    this.widthPx = windowWidthPx();
    this.headPx = layOutHead(this.widthPx);
    const { table, settings } = this.data;
    const roomPx = this.widthPx - 2 * HEAD.marginPx;
    this.boxes = layout(table, { first, last, widthPx: roomPx, minPx: settings.minPx });
    this.mostRows = Math.max(this.mostRows, this.boxes.rowCount); // what was clicked stays at its height
    const rowCount = settings.isIcicle ? this.boxes.rowCount : this.mostRows;
    resize(this.widthPx, this.headPx, rowCount);
    this.drawFrames(
      { table, boxes: this.boxes, isIcicle: settings.isIcicle, characterPx: this.characterPx, rowCount },
      found,
    );
    keepHeadInSight();
  }

  /** The box below the pointer. */
  boxOf(target: EventTarget | null): number | null {
    return (target && this.boxAt.get(target)) ?? null;
  }

  /** Puts a line around a box; `isByKeys`: it has the focus too. */
  markBox(box: number, isByKeys: boolean): void {
    const place = this.rectangle.get(box);
    if (place === undefined) return this.unmark();
    const { xPx, yPx, widthPx, heightPx } = place;
    setAttributes(this.mark, { x: px(xPx), y: yPx, width: px(widthPx), height: heightPx, visibility: 'visible' });
    this.mark.setAttribute('class', isByKeys ? 'keys' : '');
  }

  unmark(): void {
    this.mark.setAttribute('visibility', 'hidden');
  }

  /** Gives a box the focus of the keyboard. */
  focus(box: number): void {
    this.offer(box);
    this.element.get(box)?.focus({ preventScroll: true });
    this.scrollTo(box);
  }

  /** Lets Tab reach this box, and no other. */
  offer(box: number): void {
    for (const other of byId('boxes').querySelectorAll('[tabindex]')) other.removeAttribute('tabindex');
    const facts = factsText(factsOf(this.data.table, this.boxes, box));
    const element = this.element.get(box);
    if (element) setAttributes(element, { tabindex: 0, role: 'img', 'aria-label': facts });
  }

  /** In the coordinates of the picture. */
  placeOf(box: number): { xPx: number; yPx: number } {
    const { xPx = 0, yPx = 0 } = this.rectangle.get(box) ?? {};
    return { xPx: xPx + HEAD.marginPx, yPx: yPx + this.headPx };
  }

  /** Brings a box into sight, with some of its callers. */
  scrollTo(box: number): void {
    const { yPx } = this.placeOf(box);
    const top = window.scrollY + this.headPx;
    const bottom = window.scrollY + window.innerHeight - ROW_PX;
    if (yPx >= top && yPx <= bottom) return;
    const callersPx = 4 * ROW_PX;
    const isIcicle = this.data.settings.isIcicle;
    window.scrollTo(0, isIcicle ? yPx - this.headPx - callersPx : yPx + ROW_PX + callersPx - window.innerHeight);
  }

  private drawFrames(drawing: Drawing, found: Found | null): void {
    const boxes: SVGRectElement[] = [];
    const labels: SVGTextElement[] = [];
    let hatched = '';
    for (const map of [this.boxAt, this.rectangle, this.element]) map.clear();
    for (const place of rectangles(drawing)) {
      const element = this.boxElement(place, this.classOf(place, found));
      this.rectangle.set(place.box, place);
      this.element.set(place.box, element);
      this.boxAt.set(element, place.box);
      boxes.push(element);
      if (place.isHatched) hatched += hatchPath(place);
      if (place.label !== '') labels.push(svgElement('text', { x: px(place.textXPx), y: place.textYPx }, place.label));
    }
    byId('boxes').replaceChildren(...boxes);
    byId('labels').replaceChildren(...labels);
    byId('hatched').setAttribute('d', hatched);
  }

  private boxElement({ xPx, yPx, widthPx, heightPx }: Rectangle, className: string): SVGRectElement {
    return svgElement('rect', { class: className, x: px(xPx), y: yPx, width: px(widthPx), height: heightPx });
  }

  private classOf({ box, className }: Rectangle, found: Found | null): string {
    const isCaller = box < this.boxes.firstOfRun;
    const plain = isCaller ? `${className} caller` : className;
    if (found === null) return plain;
    return isFoundIn(this.data.table, found, this.boxes, box) ? 'match' : `${plain} unmatched`;
  }
}
