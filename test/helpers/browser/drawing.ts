/**
 * Waits for what a page draws after an action, so that what a test reads next is there. Only what comes later, such as
 * the answer of a server, needs `eventually`.
 */
import type { Locator, Page } from 'playwright-core';

const OF_LOCATORS = ['check', 'click', 'dblclick', 'fill', 'focus', 'hover'] as const;
const OF_PAGES = ['emulateMedia', 'goBack', 'goForward', 'goto', 'reload', 'setViewportSize'] as const;
const OF_MOUSES = ['click', 'dblclick', 'move', 'up', 'wheel'] as const;
const OF_KEYBOARDS = ['type', 'up'] as const;

let locatorsWait = false;

/** Makes all actions wait for drawing, except single keys: `press`. Scripts that act call `drawn` themselves. */
export function drawsAfterActions(page: Page): Page {
  if (!locatorsWait) {
    locatorsWait = true;
    waitAfter(Object.getPrototypeOf(page.locator('html')) as Locator, OF_LOCATORS, (locator) => locator.page());
  }
  waitAfter(page, OF_PAGES, () => page);
  waitAfter(page.mouse, OF_MOUSES, () => page);
  waitAfter(page.keyboard, OF_KEYBOARDS, () => page);
  return page;
}

type Act = (...args: unknown[]) => Promise<unknown>;

function waitAfter<Actor extends object, Name extends keyof Actor>(
  actor: Actor,
  names: readonly Name[],
  pageOf: (actor: Actor) => Page,
): void {
  for (const name of names) {
    const act = actor[name] as Act;
    const thenDraw = async function (this: Actor, ...args: unknown[]): Promise<unknown> {
      const result = await act.apply(this, args);
      await drawn(pageOf(this));
      return result;
    };
    Object.defineProperty(actor, name, { value: thenDraw });
  }
}

/**
 * The page marks itself as busy while it has more to draw, and says that it needs a script until that has begun.
 * Observers of sizes draw a frame after the one that shows the size.
 */
export async function drawn(page: Page): Promise<void> {
  if (page.isClosed()) return;
  try {
    await page.evaluate(untilDrawn);
  } catch (error) {
    if (!/Execution context was destroyed/.test(`${error}`)) throw error;
    await page.waitForLoadState(); // a page that begins to use its service worker loads itself again
    await drawn(page);
  }
}

async function untilDrawn(): Promise<void> {
  const isBusy = () =>
    document.querySelector('[aria-busy=true]') !== null ||
    (document.getElementById('app')?.lastChild?.nodeName === 'NOSCRIPT' &&
      document.querySelector('[role=alert]') === null); // the page cannot show its data
  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  do {
    await frame();
    await frame();
  } while (isBusy());
}
