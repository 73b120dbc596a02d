/**
 * The head of a stack chart: which thread it shows, what it leaves out, and its buttons.
 */

import type { Nanoseconds, Tid } from '../../../model/units.js';
import { formatMany } from '../../../render/format.js';
import { htmlElement as html, setAttributes, showText } from '../../../render/viewer/dom.js';
import { button, iconButton, toggle } from '../../../render/viewer/search-field.js';
import { nameOfThread, otherThread } from '../../view/captions/wakings.js';
import { innermostAt } from '../../view/chart/chart-boxes.js';
import { addressedWindow, clampedWindow } from '../../view/chart/chart-thread.js';
import type { Views } from '../../view/views.js';
import type { Role, Waking } from '../../view/waking-index.js';
import type { Action } from '../menu.js';
import type { Navigation } from '../platform/navigation.js';
import type { DrawnChart } from './drawn-chart.js';

interface ZoomedChart {
  zoom(factor: number): void;
  showAll(): void;
}

/** The chart below it. */
interface HeadedChart extends ZoomedChart {
  readonly hidesCallers: boolean;
  toggleCallers(): void;
  useAsRange(): void;
  close(): void;
}

export class ChartHead {
  readonly element: HTMLElement;
  private readonly title = html('h2', {});
  private readonly caption = html('p', {});
  private readonly problem = html('div', { class: 'problem', role: 'alert' });
  private readonly callers: HTMLButtonElement;
  private readonly all: HTMLButtonElement;
  private readonly range: HTMLButtonElement;

  constructor(private readonly chart: HeadedChart) {
    this.callers = toggle('', 'leave out the rows of functions that fill the view', () => chart.toggleCallers());
    this.all = button('Show all', 'show the entire recording (r)', () => chart.showAll());
    this.range = button('Use as range', 'show the numbers of this part of the recording', () => chart.useAsRange());
    const buttons = html(
      'div',
      { class: 'group' },
      this.callers,
      iconButton('−', 'Zoom out', 'zoom out (−)', () => chart.zoom(2)),
      iconButton('+', 'Zoom in', 'zoom in (+)', () => chart.zoom(0.5)),
      this.all,
      this.range,
      iconButton('✕', 'Close stack chart', 'back to the flame graph (Esc)', () => chart.close()),
    );
    this.element = html('div', { class: 'chart-head' }, this.title, this.caption, buttons, this.problem);
  }

  /** `callers`: rows that can be left out. `canSetRange`: numbers of ranges are in the file. */
  show(title: string, caption: string, callers: number, isAll: boolean, canSetRange: boolean): void {
    showText(this.title, title);
    showText(this.caption, caption);
    setAttributes(this.caption, { title: caption });
    this.callers.textContent = `Hide ${formatMany(Math.max(0, callers), 'caller')}`;
    this.callers.hidden = callers < 1 && !this.chart.hidesCallers;
    this.callers.setAttribute('aria-pressed', String(this.chart.hidesCallers));
    this.all.disabled = isAll;
    this.range.disabled = isAll;
    this.range.hidden = !canSetRange;
  }

  /** `problem`: why calls are missing; it is said once. */
  showProblem(problem: string | null): void {
    if (this.problem.textContent !== (problem ?? '')) this.problem.textContent = problem;
  }
}

interface KeyedChart extends ZoomedChart {
  /** Of the call that keys act on. */
  readonly actions: readonly Action[];
  step(key: string): void;
  /** By parts of the view, and by rows. */
  moveBy(x: number, y: number): void;
  jump(isEnd: boolean): void;
  goBack(): void;
  openMenu(): void;
}

/** Returns what a key does; null: it is none of the chart's. `hasFocus`: the chart has it, not only the pointer. */
export function chartKey({ key, shiftKey }: KeyboardEvent, hasFocus: boolean, chart: KeyedChart): (() => void) | null {
  const arrow = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
  if (arrow !== undefined && hasFocus)
    return shiftKey ? () => chart.moveBy(arrow[0] as number, arrow[1] as number) : () => chart.step(key);
  const known: Readonly<Record<string, () => void>> = {
    '+': () => chart.zoom(0.5),
    '=': () => chart.zoom(0.5),
    '-': () => chart.zoom(2),
    r: () => chart.showAll(),
    m: () => chart.openMenu(),
    Escape: () => chart.goBack(),
    ...(hasFocus && { Home: () => chart.jump(false), End: () => chart.jump(true) }),
  };
  if (Object.hasOwn(known, key)) return known[key] ?? null;
  return chart.actions.find((action) => action.key === key)?.act ?? null;
}

/** Part of the window that a wait fills. */
const WAIT_SHARE = 1 / 3;

/** Leads from a wait to the thread that ended it, and from what a thread did to the one that it woke. */
export class WakingLinks {
  /** `drawn`: the chart that is open. */
  constructor(
    private readonly views: Views,
    private readonly navigation: Navigation,
    private readonly drawn: () => DrawnChart | null,
  ) {}

  /** Opens the chart of the waiter around its wait. */
  openWait({ waiter, wakeNs, startNs, runNs }: Waking): void {
    this.open(waiter.tid, wakeNs, (runNs - startNs) / WAIT_SHARE);
  }

  /** Goes to the other thread of a waking; shows as much time as before. */
  follow(waking: Waking, role: Role): void {
    const { startNs, endNs } = this.drawn()?.window ?? { startNs: waking.startNs, endNs: waking.runNs };
    this.open(otherThread(waking, role).tid, waking.wakeNs, endNs - startNs);
  }

  /** Threads that were not traced have no chart. */
  canOpen(tid: Tid): boolean {
    return this.views.timeline?.threads.some((thread) => thread.tid === tid) === true;
  }

  /** What can be done with a box, for the longest wait in its time. */
  actionsOf(chart: DrawnChart, box: number, follow: (waking: Waking, role: Role) => void): Action[] {
    const action = (role: Role, what: string, key: string): Action[] => {
      const waking = chart.wakingIn(box, role);
      if (waking === null || !this.canOpen(otherThread(waking, role).tid)) return [];
      const text = `${what}: ${nameOfThread(otherThread(waking, role))}`;
      return [{ text, key, act: () => follow(waking, role) }];
    };
    return [...action('waiter', 'Go to waker', 'w'), ...action('waker', 'Go to the thread it woke', 'W')];
  }

  /** Opens the chart of a thread around a moment, and selects what it did then. */
  private open(tid: Tid, ns: Nanoseconds, lengthNs: Nanoseconds): void {
    const { navigation } = this;
    const durationNs = this.views.timeline?.durationNs ?? 0;
    const window = clampedWindow({ startNs: ns - lengthNs / 2, endNs: ns + lengthNs / 2 }, durationNs);
    navigation.change({ chart: tid, chartRange: addressedWindow(window, durationNs), call: null });
    const chart = this.drawn();
    const box = chart && innermostAt(chart.boxes, ns);
    if (chart !== null && box !== null) navigation.change({ call: chart.callOf(box) }, true);
  }
}
