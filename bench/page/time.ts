/**
 * Changes the time range of a page, and pans its stack chart, as a reader does.
 */
import type { CDPSession, Page } from 'playwright-core';
import { Random } from '../generator/random.js';

export interface RangeTiming {
  /** From the change until the graph is painted. */
  readonly paintedMs: number;
  /** CPU time of the page's main thread until it is idle: tables are filled, too. */
  readonly cpuMs: number;
}

export interface TimeVisit {
  readonly ranges: readonly RangeTiming[];
  /** Between one frame and the next while the chart was dragged. */
  readonly frameMs: readonly number[];
}

const RANGES = 40;
/** The first ones are compiled while they run. */
const WARM_UP = 3;
const DRAGS = 240;
const DRAG_PX = 4;

/** `tid`: the thread whose chart is panned. */
export async function visitTime(page: Page, durationNs: number, tid: number): Promise<TimeVisit> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const ranges: RangeTiming[] = [];
  for (const range of rangesOf(durationNs)) ranges.push(await changeRange(page, session, `#range=${range}`));
  const shown = [0.45 * durationNs, 0.55 * durationNs].map(Math.round);
  await page.evaluate(goTo, `#chart=${tid}&at=${shown.join('-')}`);
  return { ranges: ranges.slice(WARM_UP), frameMs: await pan(page) };
}

/** Ranges of any length; each fourth one is nearly everything, which is most work. */
function rangesOf(durationNs: number): string[] {
  const random = new Random(1);
  return Array.from({ length: RANGES }, (_, at) => {
    const shares = at % 4 === 0 ? [random.share() / 50, 1 - random.share() / 50] : [random.share(), random.share()];
    return shares
      .sort((a, b) => a - b)
      .map((share) => Math.round(share * durationNs))
      .join('-');
  });
}

async function changeRange(page: Page, session: CDPSession, hash: string): Promise<RangeTiming> {
  const before = await cpuSeconds(session);
  const paintedMs = await page.evaluate(goTo, hash);
  return { paintedMs, cpuMs: 1000 * ((await cpuSeconds(session)) - before) };
}

export async function cpuSeconds(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  const found = metrics.find(({ name }) => name === 'ThreadTime');
  if (found === undefined) throw new Error('the browser does not tell the CPU time of a page');
  return found.value;
}

/** Runs in the page: goes to an address, and returns in how many milliseconds it was painted, once the page is idle. */
async function goTo(hash: string): Promise<number> {
  const began = performance.now();
  await new Promise<void>((resolve) => {
    addEventListener('hashchange', () => resolve(), { once: true });
    location.hash = hash;
  });
  const paintedMs = (await window.bench.painted()) - began;
  for (let idle = 0; idle < 2; idle++) {
    await new Promise((resolve) => setTimeout(resolve, 60));
    await new Promise((resolve) => requestIdleCallback(resolve));
  }
  return paintedMs;
}

/** Drags the chart to and fro, and returns the times between frames. */
async function pan(page: Page): Promise<number[]> {
  const area = await page.locator('.stack-chart .stack').boundingBox();
  if (area === null) throw new Error('the page shows no stack chart');
  const [middlePx, yPx] = [area.x + area.width / 2, area.y + Math.min(area.height, 300) / 2];
  await page.mouse.move(middlePx, yPx);
  await page.mouse.down();
  const frames = page.evaluate(frameTimes, '.stack-chart .stack');
  for (let step = 1; step <= DRAGS; step++)
    await page.mouse.move(middlePx + DRAG_PX * Math.min(step, DRAGS - step), yPx);
  await page.mouse.up();
  return frames;
}

/** Runs in the page, until the pointer is released. */
function frameTimes(selector: string): Promise<number[]> {
  return new Promise((resolve) => {
    const times: number[] = [];
    let [last, isOver] = [Number.NaN, false];
    document.querySelector(selector)?.addEventListener('pointerup', () => (isOver = true), { once: true });
    const next = (now: number) => {
      if (!Number.isNaN(last)) times.push(now - last);
      last = now;
      if (isOver) resolve(times);
      else requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  });
}
