/**
 * Reads folded stacks with the programs that users feed them to: speedscope and flamegraph.pl.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { execa } from 'execa';
import { type Browser, chromium } from 'playwright-core';
import { BROWSER_SETTINGS } from '../../../bench/page/browser.js';
import { pathOf } from '../../tools/needs.js';

/** Self values by path, the frames joined by ";"; paths without a value are absent. */
export type Stacks = ReadonlyMap<string, number>;

const MAX_WAIT_MS = 20_000;

/** Loads stacks into speedscope like its command line does, and returns what speedscope exports. */
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

  async read(folded: string, name = 'trace.folded'): Promise<{ stacks: Stacks; total: number }> {
    const script = join(this.directory, 'profile.js');
    const base64 = Buffer.from(folded).toString('base64');
    await writeFile(script, `speedscope.loadFileFromBase64(${JSON.stringify(name)}, ${JSON.stringify(base64)})`);
    const page = await this.browser.newPage();
    page.setDefaultTimeout(MAX_WAIT_MS);
    await page.goto(`${pathToFileURL(speedscopePage()).href}#localProfilePath=${script}`);
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByText('Export').click()]);
    const exported = JSON.parse(await readFile(await download.path(), 'utf8'));
    await page.close();
    return stacksOf(exported);
  }

  stop(): Promise<void> {
    return this.browser.close();
  }
}

function speedscopePage(): string {
  const packageFile = createRequire(import.meta.url).resolve('speedscope/package.json');
  return join(dirname(packageFile), 'dist/release/index.html');
}

interface SpeedscopeFile {
  readonly shared: { readonly frames: readonly { readonly name: string }[] };
  readonly profiles: readonly [{ readonly endValue: number; readonly events: readonly FrameEvent[] }];
}

/** A frame opens or closes. */
interface FrameEvent {
  readonly type: 'O' | 'C';
  readonly frame: number;
  readonly at: number;
}

function stacksOf({ shared, profiles }: SpeedscopeFile): { stacks: Stacks; total: number } {
  const [{ events, endValue }] = profiles;
  const stacks = new Map<string, number>();
  const open: string[] = [];
  let last = 0;
  for (const { type, frame, at } of events) {
    if (at > last) stacks.set(open.join(';'), (stacks.get(open.join(';')) ?? 0) + at - last);
    last = at;
    if (type === 'O') open.push(shared.frames[frame]?.name ?? '');
    else open.pop();
  }
  return { stacks, total: endValue };
}

export interface FlameGraph {
  /** Samples by frame, summed by name; `all` is the total. */
  readonly frames: ReadonlyMap<string, number>;
  /** Its warnings. */
  readonly stderr: string;
}

/** Returns the frames that flamegraph.pl draws: each frame's title is "NAME (COUNT samples, PERCENT%)". */
export async function readByFlamegraphPl(folded: string): Promise<FlameGraph> {
  const { stdout, stderr } = await execa('perl', [pathOf('flamegraph.pl'), '--minwidth', '0'], { input: folded });
  const frames = new Map<string, number>();
  for (const [, name = '', count = ''] of stdout.matchAll(/<title>(.*) \(([\d,]+) samples, [\d.]+%\)<\/title>/g))
    frames.set(text(name), (frames.get(text(name)) ?? 0) + Number(count.replaceAll(',', '')));
  return { frames, stderr };
}

function text(markup: string): string {
  return markup.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}
