/**
 * Loads files into speedscope's page, as its command line does.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { BROWSER_SETTINGS } from '../../../../bench/page/browser.js';
import { pathOf } from '../../../tools/needs.js';

const MAX_WAIT_MS = 20_000;

/** A thread as speedscope computes it. */
export interface ShownProfile {
  readonly name: string;
  readonly totalNs: number;
  readonly frames: readonly ShownFrame[];
}

export interface ShownFrame {
  readonly name: string;
  readonly file?: string;
  readonly line?: number;
  readonly selfNs: number;
  readonly totalNs: number;
}

export class Speedscope {
  private readonly browser: Browser;
  private readonly directory: string;

  private constructor(browser: Browser, directory: string) {
    this.browser = browser;
    this.directory = directory;
  }

  /** `directory` is for its input and output files. */
  static async start(directory: string): Promise<Speedscope> {
    const executablePath = pathOf('Chromium');
    return new Speedscope(await chromium.launch({ ...BROWSER_SETTINGS, executablePath }), directory);
  }

  /** Returns what it exports: a file in its own format. */
  async exportOf(bytes: string | Uint8Array, name: string): Promise<unknown> {
    const page = await this.load(bytes, name);
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByText('Export').click()]);
    const exported: unknown = JSON.parse(await readFile(await download.path(), 'utf8'));
    await page.close();
    return exported;
  }

  /** Returns the title of the page, and what its tables show. */
  async shown(bytes: string | Uint8Array, name: string): Promise<{ title: string; profiles: readonly ShownProfile[] }> {
    const page = await this.load(bytes, name);
    await page.waitForFunction(() => / - speedscope$/.test(document.title));
    const shown = { title: await page.title(), profiles: await page.evaluate(shownProfiles) };
    await page.close();
    return shown;
  }

  stop(): Promise<void> {
    return this.browser.close();
  }

  private async load(bytes: string | Uint8Array, name: string): Promise<Page> {
    const script = join(this.directory, 'profile.js');
    const base64 = Buffer.from(bytes).toString('base64');
    await writeFile(script, `speedscope.loadFileFromBase64(${JSON.stringify(name)}, ${JSON.stringify(base64)})`);
    const page = await this.browser.newPage();
    page.setDefaultTimeout(MAX_WAIT_MS);
    await page.goto(`${pathToFileURL(speedscopePage()).href}#localProfilePath=${script}`);
    return page;
  }
}

function speedscopePage(): string {
  const packageFile = createRequire(import.meta.url).resolve('speedscope/package.json');
  return join(dirname(packageFile), 'dist/release/index.html');
}

/** A node of what the page's library, preact, has drawn; `__k` are its children. */
interface DrawnNode {
  readonly props?: { readonly profileGroup?: ProfileGroup };
  readonly __k?: DrawnNode | DrawnNode[];
}

interface ProfileGroup {
  readonly profiles: readonly { readonly profile: SpeedscopeProfile }[];
}

interface SpeedscopeProfile {
  getName(): string;
  getTotalWeight(): number;
  forEachFrame(use: (frame: SpeedscopeFrame) => void): void;
}

interface SpeedscopeFrame {
  readonly name: string;
  readonly file?: string;
  readonly line?: number;
  getSelfWeight(): number;
  getTotalWeight(): number;
}

/** Runs in the page: asks the objects that it draws. */
function shownProfiles(): ShownProfile[] {
  const groupIn = (node: DrawnNode | null | undefined): ProfileGroup | undefined => {
    if (node?.props?.profileGroup) return node.props.profileGroup;
    for (const child of [node?.__k ?? []].flat()) {
      const found = groupIn(child);
      if (found) return found;
    }
    return undefined;
  };
  const roots = [...document.querySelectorAll('*')].map((element) => element as unknown as DrawnNode);
  const group = roots.map((root) => groupIn(root)).find((found) => found !== undefined);
  if (group === undefined) throw new Error('the page shows no profile');
  return group.profiles.map(({ profile }) => {
    const frames: ShownFrame[] = [];
    profile.forEachFrame((frame) => {
      const { name, file, line } = frame;
      const times = { selfNs: frame.getSelfWeight(), totalNs: frame.getTotalWeight() };
      frames.push({ name, ...(file !== undefined && { file }), ...(line !== undefined && { line }), ...times });
    });
    return { name: profile.getName(), totalNs: profile.getTotalWeight(), frames };
  });
}
