/**
 * The line below the header that says what stands out, one finding at a time, with buttons that lead on.
 */

import { htmlElement as html, setAttributes, showText, svgElement as svg } from '../../render/viewer/dom.js';
import { button, iconButton } from '../../render/viewer/search-field.js';
import type { FindingAction, ShownFinding, ShownPart } from '../view/findings.js';

export class FindingLine {
  readonly element: HTMLElement;
  private readonly sentence = html('p', { 'aria-live': 'polite' });
  private readonly buttons = html('div', { class: 'group' });
  private readonly position = html('span', {});
  private readonly pager: HTMLElement;
  private find: () => readonly ShownFinding[] = () => [];
  private findings: readonly ShownFinding[] = [];
  private at = 0;
  private shownKey = '';
  private isPending = false;

  /** `turnTo`: another finding is shown, counted from 1. */
  constructor(
    private readonly act: (action: FindingAction) => void,
    private readonly turnTo: (finding: number) => void,
  ) {
    this.pager = html(
      'div',
      { class: 'pager', role: 'group', 'aria-label': 'Findings', hidden: '' },
      iconButton('‹', 'Previous finding', 'previous finding', () => this.page(-1)),
      this.position,
      iconButton('›', 'Next finding', 'next finding', () => this.page(1)),
    );
    this.element = html(
      'section',
      { class: 'finding', 'aria-label': 'Finding' },
      icon(),
      this.sentence,
      this.buttons,
      this.pager,
    );
  }

  /**
   * Finds and shows in the next idle moment, unless it shows this already. `key`: differs where findings may; then the first
   * one is shown. `finding`: otherwise, from 1.
   */
  show(key: string, find: () => readonly ShownFinding[], finding: number): void {
    if (key === this.shownKey) {
      if (this.at === finding - 1 || this.isPending) return;
      this.at = finding - 1;
      return this.draw();
    }
    this.at = this.shownKey === '' ? finding - 1 : 0;
    this.shownKey = key;
    this.find = find;
    if (this.isPending) return;
    this.isPending = true;
    whenIdle(() => {
      this.isPending = false;
      this.findings = this.find();
      this.draw();
      this.turnTo(this.at + 1);
    });
  }

  private page(by: 1 | -1): void {
    const { length } = this.findings;
    this.at = (this.at + by + length) % length;
    this.draw();
    this.turnTo(this.at + 1);
  }

  private draw(): void {
    const { findings } = this;
    const at = this.at % Math.max(1, findings.length); // a link may be to one that is not there
    const { sentence = [], actions = [] } = findings[at] ?? {};
    this.sentence.replaceChildren(...sentence.map((part) => this.partElement(part)));
    const hadFocus = this.buttons.contains(document.activeElement);
    const made = actions.map((action) => button(action.label, '', () => this.act(action)));
    this.buttons.replaceChildren(...made);
    if (hadFocus) made[0]?.focus();
    this.pager.hidden = findings.length < 2;
    showText(this.position, `${at + 1} of ${findings.length}`);
  }

  private partElement({ kind, text, leadsTo: change }: ShownPart): Node {
    if (kind === 'text') return document.createTextNode(text);
    if (kind === 'number') return html('b', {}, text);
    const click = change && { click: () => this.act({ label: '', change }) };
    return html(change ? 'button' : 'b', { class: 'name', ...click }, html('bdi', {}, text));
  }
}

function icon(): SVGElement {
  const sign = svg('svg', { viewBox: '0 0 16 16', width: 16, height: 16, 'aria-hidden': 'true' });
  const circle = svg('circle', { cx: 8, cy: 8, r: 7 });
  const mark = svg('path', { d: 'M8 4.2v4.6M8 10.7v1.2' });
  for (const part of [circle, mark]) setAttributes(part, { fill: 'none', stroke: 'currentColor', 'stroke-width': 1.5 });
  sign.append(circle, mark);
  return sign;
}

/** Safari has no idle callbacks. */
function whenIdle(run: () => void): void {
  if ('requestIdleCallback' in window) requestIdleCallback(run, { timeout: 1000 });
  else setTimeout(run, 50);
}
