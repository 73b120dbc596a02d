/**
 * Drops files on the offline page, as a user does, and saves what it shows.
 */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import type { Windows } from './browser.js';
import { clickByScript, push } from './report-page.js';

const PAGE = fileURLToPath(new URL('../../../dist/cli/ptflame.html', import.meta.url));

export const pageText = () => readFileSync(PAGE, 'utf8');

/** `cores`, `gib`: of the machine, as the browser tells; the page has as many workers, and a quarter of the memory. */
export async function openOfflinePage(browser: Windows, cores?: number, gib?: number): Promise<Page> {
  const tell = (page: Page) =>
    page.addInitScript(
      (told) => {
        for (const [name, value] of Object.entries(told))
          if (value !== undefined) Object.defineProperty(navigator, name, { get: () => value });
      },
      { hardwareConcurrency: cores, deviceMemory: gib },
    );
  const page = await browser.open(pageText(), '', cores === undefined && gib === undefined ? undefined : tell);
  await page.locator('.screen.start').waitFor();
  return page;
}

const isFirefox = (page: Page) => page.context().browser()?.browserType().name() === 'firefox';

/** Drops files of this machine, by their paths. */
export async function drop(page: Page, ...paths: readonly string[]): Promise<void> {
  await page.bringToFront();
  if (isFirefox(page)) return dropByScript(page, paths);
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: [...paths], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', { type, x: 300, y: 300, data });
  await session.detach();
}

/** Files that were chosen in a field are dropped: WebDriver cannot drag files. */
async function dropByScript(page: Page, paths: readonly string[]): Promise<void> {
  await page.evaluate(() => {
    const field = document.createElement('input');
    Object.assign(field, { type: 'file', multiple: true, id: 'dropped', hidden: true });
    document.body.append(field);
  });
  await page.locator('#dropped').setInputFiles([...paths]);
  await page.evaluate(() => {
    const field = document.querySelector('#dropped') as HTMLInputElement;
    const dataTransfer = new DataTransfer();
    for (const file of field.files ?? []) dataTransfer.items.add(file);
    field.remove();
    for (const type of ['dragenter', 'dragover', 'drop'])
      document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
  });
}

export type Screen = 'start' | 'working' | 'needs' | 'report';

/** Waits for what comes after the work. */
export async function shown(page: Page): Promise<Screen> {
  const found = page.locator('.screen:not(.working):not(.start), .screen.start .problem, .table .head button').first();
  await found.waitFor({ state: 'attached', timeout: 60_000 });
  if ((await page.locator('.screen.needs').count()) > 0) return 'needs';
  return (await page.locator('.screen.start').count()) > 0 ? 'start' : 'report';
}

/** Waits for the report, whatever is shown until the page has looked at what was dropped. */
export async function reportShown(page: Page): Promise<void> {
  await page.locator('.table .head button').first().waitFor({ state: 'attached', timeout: 60_000 });
}

/** Says why the page does not show what was dropped: what happened, and what to do. */
export const problem = (page: Page) => page.locator('.problem p').allTextContents();

interface Saved {
  readonly name: string;
  readonly bytes: Buffer;
}

/** Saves all of the recording, in the format of a menu item. */
export async function save(page: Page, item: string): Promise<Saved> {
  await page.bringToFront();
  await push(page, 'Recording');
  const choose = () => clickByScript(page.getByRole('menuitem', { name: item }));
  if (isFirefox(page)) return savedByScript(page, choose);
  const [download] = await Promise.all([page.waitForEvent('download'), choose()]);
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}

/** Takes the file that the page gives to the browser: WebDriver does not tell of downloads. */
async function savedByScript(page: Page, choose: () => Promise<unknown>): Promise<Saved> {
  const caught = page.evaluateHandle(() => {
    const { createObjectURL } = URL;
    const { click } = HTMLAnchorElement.prototype;
    let content: Blob;
    const file = new Promise<[string, string]>((done, failed) => {
      URL.createObjectURL = (blob: Blob) => {
        content = blob;
        return createObjectURL.call(URL, blob);
      };
      HTMLAnchorElement.prototype.click = function () {
        Object.assign(URL, { createObjectURL });
        HTMLAnchorElement.prototype.click = click;
        const reader = new FileReader();
        reader.onerror = () => failed(reader.error);
        reader.onload = () => done([this.download, String(reader.result)]);
        reader.readAsDataURL(content);
      };
    });
    return { file };
  });
  await choose();
  const [name, url] = await (await caught).evaluate(({ file }) => file);
  return { name, bytes: Buffer.from(url.slice(url.indexOf(',') + 1), 'base64') };
}
