/**
 * Leads from a wait to the thread that ended it, and from what a thread did to the one that it woke.
 */
import type { Nanoseconds, Tid } from '../../../model/units.js';
import { nameOfThread } from '../../view/captions/waits.js';
import { otherThread } from '../../view/captions/wakings.js';
import { innermostAt } from '../../view/chart/call-at.js';
import { addressedWindow, clampedWindow } from '../../view/chart/chart-window.js';
import type { Views } from '../../view/views.js';
import type { Role, Waking } from '../../view/waking-index.js';
import type { Action } from '../menu.js';
import type { Navigation } from '../platform/navigation.js';
import type { DrawnChart } from './drawn-chart.js';

/** Part of the window that a wait fills. */
const WAIT_SHARE = 1 / 3;

export class WakingLinks {
  private readonly views: Views;
  private readonly navigation: Navigation;
  private readonly drawn: () => DrawnChart | null;

  /** `drawn`: the chart that is open. */
  constructor(views: Views, navigation: Navigation, drawn: () => DrawnChart | null) {
    this.views = views;
    this.navigation = navigation;
    this.drawn = drawn;
  }

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
