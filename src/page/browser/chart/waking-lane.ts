/**
 * The row of buttons above a stack chart that say who woke its thread, or whom it woke. Each leads to the other thread.
 */
import type { Nanoseconds, Tid } from '../../../model/units.js';
import { formatCount } from '../../../render/format.js';
import { htmlElement as html, setAttributes, showText } from '../../../render/viewer/dom.js';
import { otherThread, shortLabel, wakingLabel, wakingText } from '../../view/captions/wakings.js';
import { type ChartArrow, WHOLE_PX } from '../../view/wakings/chart-arrows.js';
import type { Role, Waking } from '../../view/wakings/waking-index.js';

export interface LaneEvents {
  readonly follow: (waking: Waking, role: Role) => void;
  readonly canOpen: (tid: Tid) => boolean;
}

const NAMES: Readonly<Record<Role, string>> = { waiter: 'Who woke the thread', waker: 'Whom the thread woke' };

export class WakingLane {
  readonly element: HTMLElement;
  private readonly role: Role;
  private readonly events: LaneEvents;
  /** As many as were ever needed: one that has the focus stays. */
  private readonly buttons: HTMLButtonElement[] = [];
  private readonly lines: HTMLElement[] = [];
  private arrows: readonly ChartArrow[] = [];

  constructor(role: Role, events: LaneEvents) {
    this.role = role;
    this.events = events;
    this.element = html('div', { class: 'wakings', role: 'group', 'aria-label': NAMES[role], hidden: '' });
  }

  /** `scaleNs`: the duration of the recording. */
  show(arrows: readonly ChartArrow[], scaleNs: Nanoseconds): void {
    this.arrows = arrows;
    while (this.buttons.length < arrows.length) this.addButton(this.buttons.length);
    for (const [at, button] of this.buttons.entries()) {
      const arrow = arrows[at];
      const line = this.lines[at] as HTMLElement;
      button.hidden = line.hidden = arrow === undefined;
      if (arrow === undefined) continue;
      this.describe(button, arrow, scaleNs);
      line.style.left = `${arrow.xPx}px`;
    }
  }

  private addButton(at: number): void {
    const button = html('button', { type: 'button' });
    const line = html('span', { class: 'line' });
    button.addEventListener('click', () => {
      const arrow = this.arrows[at];
      if (arrow !== undefined && this.canFollow(arrow)) this.events.follow(arrow.waking, this.role);
    });
    this.buttons.push(button);
    this.lines.push(line);
    this.element.append(line, button);
  }

  private describe(button: HTMLButtonElement, arrow: ChartArrow, scaleNs: Nanoseconds): void {
    const { waking, labelPx, roomPx, others } = arrow;
    const more = others > 0 ? ` +${formatCount(others)}` : '';
    const hint = this.canFollow(arrow) ? 'click: what it did then' : 'it was not traced';
    const label = wakingLabel(waking, this.role);
    // with less space only the name: the arrow says the rest
    const text = `${roomPx < WHOLE_PX ? shortLabel(waking, this.role) : label}${more}`;
    const title = `${wakingText(waking, this.role, scaleNs)}${more && ` (${more.trim()} shorter waits here)`}; ${hint}`;
    button.style.left = `${labelPx}px`;
    button.style.maxWidth = `${Math.floor(roomPx - GAP_PX)}px`;
    // while the view moves, most labels stay the same
    if (button.title === title && button.textContent === text) return;
    showText(button, text);
    setAttributes(button, { title, 'aria-label': `${label}${more}`, 'aria-disabled': String(!this.canFollow(arrow)) });
  }

  private canFollow({ waking }: ChartArrow): boolean {
    return this.events.canOpen(otherThread(waking, this.role).tid);
  }
}

const GAP_PX = 4;
