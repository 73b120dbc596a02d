/**
 * The part of the recording that a stack chart shows. Gestures change it first, and the address follows when they have
 * ended; everything else changes the address, which it follows.
 */

import type { Bounds, Nanoseconds, Tid } from '../../../model/units.js';
import type { ChartThread } from '../../view/chart/chart-thread.js';
import { addressedWindow, clampedWindow, movedWindow, zoomedWindow } from '../../view/chart/chart-thread.js';
import type { State } from '../../view/state.js';
import type { Navigation } from '../platform/navigation.js';

/** After a gesture, the address and the tables follow. */
const SETTLED_MS = 200;

export class AddressedWindow {
  bounds: Bounds = { startNs: 0, endNs: 1 };
  /** null: no chart is open. */
  private thread: ChartThread | null = null;
  /** Address of the window that is shown, with its thread. */
  private shown = '';
  private settling = 0;
  /** The state after the last gesture: the next one is the same step of the history. */
  private gestured: State | null = null;

  /** `changed`: the window is becoming another one. */
  constructor(
    private readonly navigation: Navigation,
    private readonly changed: () => void,
  ) {}

  get all(): Bounds {
    return { startNs: 0, endNs: this.durationNs };
  }

  /** As the address has it; null: everything. */
  get address(): Bounds | null {
    return this.addressOf(this.bounds);
  }

  addressOf(window: Bounds): Bounds | null {
    return addressedWindow(window, this.durationNs);
  }

  /** Follows the address. */
  show(thread: ChartThread | null, range: Bounds | null): void {
    this.thread = thread;
    if (thread === null) return;
    const shown = textOf(thread.tid, range);
    if (shown === this.shown) return;
    this.dropPending();
    this.bounds = clampedWindow(range ?? this.all, this.durationNs);
    this.shown = shown;
  }

  /** Makes it `factor` times as long; a moment stays where it is. */
  zoomAt(factor: number, ns: Nanoseconds): void {
    this.gesture(zoomedWindow(this.bounds, factor, ns, this.durationNs));
  }

  move(byNs: Nanoseconds): void {
    this.gesture(movedWindow(this.bounds, byNs, this.durationNs));
  }

  /** Moves it to the start or the end of the recording. */
  jump(isEnd: boolean): void {
    this.move(isEnd ? this.durationNs : -this.durationNs);
  }

  /** Shows another window, as a step of the history. */
  goTo(window: Bounds, change: Partial<State> = {}): void {
    this.settle();
    this.shown = '';
    this.changed();
    this.navigation.change({ ...change, chartRange: this.addressOf(window) });
  }

  /** Shows a window `factor` times as long, around a moment. */
  goToZoomed(factor: number, aroundNs: Nanoseconds): void {
    this.goTo(zoomedWindow(this.bounds, factor, aroundNs, this.durationNs));
  }

  close(): void {
    this.settle();
    this.navigation.change({ chart: null, chartRange: null, call: null });
  }

  private get durationNs(): Nanoseconds {
    return this.thread?.durationNs ?? 1;
  }

  private gesture(window: Bounds): void {
    this.bounds = window;
    this.changed();
    this.dropPending();
    this.settling = setTimeout(() => this.settle(), SETTLED_MS) as unknown as number;
  }

  /** Writes the window of a gesture that has just ended into the address, so that the back button returns to it. */
  settle(): void {
    if (this.settling === 0 || this.thread === null) return;
    this.dropPending();
    const { navigation, address: chartRange } = this;
    const isSameStep = navigation.state === this.gestured;
    this.shown = textOf(this.thread.tid, chartRange);
    navigation.change({ chartRange }, isSameStep);
    this.gestured = navigation.state;
  }

  private dropPending(): void {
    clearTimeout(this.settling);
    this.settling = 0;
  }
}

function textOf(tid: Tid, window: Bounds | null): string {
  return `${tid} ${window?.startNs} ${window?.endNs}`;
}
