/**
 * Starts the offline page: its screens, from a dropped file to the report.
 */
import { start } from '../../page/browser/main.js';
import { Menu, menuButton } from '../../page/browser/menu.js';
import { restoreTheme, switchTheme } from '../../page/browser/platform/canvas.js';
import { blockedTooLarge } from '../../page/browser/platform/decode.js';
import { bytesOf, inflated } from '../../page/browser/platform/inflate.js';
import { endReport } from '../../page/browser/platform/lifetime.js';
import { announce, saveBlob } from '../../page/browser/platform/save.js';
import type { PageData } from '../../page/data/page-data.js';
import { htmlElement as html } from '../../render/viewer/dom.js';
import { button, isShortcut } from '../../render/viewer/search-field.js';
import type { Answer, ComparedNames, Dropped, EngineReport, Failure, OpenOptions, OutputFormat } from '../messages.js';
import { chooseFiles, listenForDrops } from './dropped-files.js';
import { Engine } from './engine.js';
import { fetchPack, isHosted, isolate, listenForHandOver, Refusal, takePackAddress } from './hosted.js';
import { needsScreen } from './needs-screen.js';
import { askWhatToDo } from './replace-dialog.js';
import { type StartEvents, startScreen } from './start-screen.js';
import { WorkingScreen } from './working-screen.js';

type Shown = 'start' | 'working' | 'needs' | 'report';

const TITLE = document.title;

const SAVED: Readonly<Record<OutputFormat, string>> = {
  html: 'Report page (HTML)',
  ptf: 'Trace (.ptf)',
  folded: 'Folded stacks',
  svg: 'Picture (SVG)',
  json: 'Profile (JSON)',
};

class OfflinePage {
  private readonly container = document.getElementById('app') as HTMLElement;
  private readonly own = [...document.body.children];
  private shown: Shown = 'start';
  private engine: Engine | null = null;
  /** Has loaded its code when something is dropped. */
  private prepared: Engine | null = null;
  private working: WorkingScreen | null = null;
  private stopFetching = () => {};
  /** What is shown, or was to be. */
  private dropped: Dropped = { drops: [], added: [] };
  private options: OpenOptions = OPTIONS;
  /** A second recording can be compared with what is shown. */
  private isComparable = false;

  /** `code`: of the engine. */
  constructor(
    private readonly code: Blob,
    private readonly demoFile: File,
  ) {
    const above = html(
      'div',
      { class: 'above-window', hidden: '', 'aria-hidden': 'true' },
      html('p', {}, 'Drop to open'),
    );
    document.documentElement.append(above);
    listenForDrops({
      dropped: (files) => void this.receive(files),
      hovers: (isAbove) => {
        above.hidden = !isAbove;
      },
    });
    addEventListener('keydown', (event) => this.press(event));
    this.showStart(null);
    if (isHosted) this.startHosted();
  }

  private startHosted(): void {
    const address = takePackAddress();
    listenForHandOver((files) => this.open(files));
    if (address === null) isolate(() => this.shown === 'start');
    else void this.fetch(address);
  }

  /** Opens a pack of the page's own origin. */
  private async fetch(address: string): Promise<void> {
    const ends = new AbortController();
    const working = new WorkingScreen('A pack', () => this.reset());
    this.show('working', working.element);
    this.stopFetching = () => ends.abort();
    try {
      const file = await fetchPack(address, (at) => working.show(at, performance.now()), ends.signal);
      if (!ends.signal.aborted) this.open([file]);
    } catch (error) {
      if (ends.signal.aborted) return;
      if (!(error instanceof Refusal)) throw error;
      this.showStart(error.failure);
    }
  }

  private get names(): string {
    return this.dropped.drops.map(nameOf).join(' → ') || 'the pack';
  }

  private press(event: KeyboardEvent): void {
    if (isShortcut(event) || this.shown === 'report' || document.querySelector('dialog[open]')) return;
    const known: Partial<Record<string, () => void>> = {
      o: this.shown === 'working' ? undefined : () => this.choose(),
      d: switchTheme,
      Escape: this.shown === 'start' ? undefined : () => this.reset(),
    };
    const act = Object.hasOwn(known, event.key) ? known[event.key] : undefined;
    if (act === undefined) return;
    event.preventDefault();
    act();
  }

  private choose(): void {
    chooseFiles((files) => void this.receive(files));
  }

  /** Files were dropped: binaries alone belong to the recording that is here; of a report is asked first. */
  private async receive(files: readonly File[]): Promise<void> {
    if (this.shown === 'start') return this.open(files);
    const isOther = await isAny(files, RECORDINGS);
    if (this.shown === 'needs') return isOther ? this.open(files) : this.add(files);
    const belong = !isOther && (await isAny(files, [ELF])) && (await isAny(this.dropped.drops.flat(), [PERF_DATA]));
    if (this.shown === 'report' && belong) return this.add(files);
    if (this.isComparable) this.engine?.ask({ kind: 'recognize', files });
    else this.askWhatToDo(files, null);
  }

  private askWhatToDo(files: readonly File[], sides: ComparedNames | null): void {
    askWhatToDo(files, sides, {
      open: () => this.open(files),
      compare: () => this.open([...this.dropped.drops.flat(), ...this.dropped.added], files),
    });
  }

  /** Adds binaries to the recording, as a better build of those that it has. */
  private add(files: readonly File[]): void {
    const { drops, added } = this.dropped;
    this.work({ drops, added: [...added, ...files] }, this.options);
  }

  private open(...drops: readonly (readonly File[])[]): void {
    if (this.shown === 'report') history.replaceState(null, '', location.pathname); // what it showed of the last report
    this.work({ drops, added: [] }, OPTIONS);
  }

  private work(dropped: Dropped, options: OpenOptions): void {
    this.clear();
    [this.dropped, this.options] = [dropped, options];
    this.working = new WorkingScreen(this.names, () => this.reset());
    this.show('working', this.working.element);
    this.engine = this.prepared ?? this.newEngine();
    this.prepared = null;
    this.engine.open(dropped, options, (answer) => this.hear(answer));
  }

  private newEngine(): Engine {
    return new Engine(this.code, isFirefox ? 0 : Math.min(OPTIONS.jobs, PREPARED_WORKERS));
  }

  private hear(answer: Answer): void {
    switch (answer.kind) {
      case 'progress':
        return this.working?.show(answer.progress, performance.now());
      case 'report':
        return void this.draw(answer.report);
      case 'needs':
        this.engine?.stop();
        return this.show(
          'needs',
          needsScreen(answer.needs, {
            choose: () => this.choose(),
            showWithout: () => this.work(this.dropped, { ...this.options, withoutBinaries: true }),
            another: () => this.reset(),
          }),
        );
      case 'failure':
        return this.fail(answer.failure);
      case 'recognized':
        return this.askWhatToDo(answer.files, answer.sides);
      case 'written':
        saveBlob(answer.name, answer.content);
        return announce(`saved ${answer.name}`);
    }
  }

  /** A failure to write leaves the report as it is. */
  private fail(failure: Failure): void {
    if (this.shown === 'report') return announce(`not saved: ${failure.message}`);
    this.engine?.stop();
    this.showStart(failure);
  }

  private async draw(report: EngineReport): Promise<void> {
    const { head, data, timeline, blocked, shows, formats, notes, takesBinaries } = report;
    const isSwapped = this.shown === 'report';
    if (isSwapped) this.wipe();
    this.shown = 'report';
    this.isComparable = shows === 'times';
    this.working = null;
    document.title = head.windowTitle;
    showHead(head.markup);
    this.container.dataset['start'] = head.start;
    this.container.replaceChildren();
    const menu = new Menu();
    document.body.append(menu.element);
    document.querySelector('header .trust')?.after(this.recordingButton(menu, formats));
    addNotes(notes);
    const readBlocked = async (known: PageData | 'too large') => {
      if (known === 'too large') throw blockedTooLarge();
      return { ...known, symbols: data.symbols };
    };
    await start(this.container, {
      data,
      timeline: timeline && (async () => timeline),
      blocked: blocked && (() => readBlocked(blocked)),
      dropped: { takesBinaries },
    });
    if (shows === 'comparison') this.addSwap(isSwapped);
  }

  /** `isPressed`: it was, and what it did is shown. */
  private addSwap(isPressed: boolean): void {
    const swap = button('Swap', 'compare the other way round', () => {
      swap.disabled = true; // until there is another one
      this.options = { ...this.options, isSwapped: !this.options.isSwapped };
      this.engine?.ask({ kind: 'swap' });
    });
    document.querySelector('.brand')?.append(swap);
    if (!isPressed) return;
    swap.focus();
    announce(document.title);
  }

  private recordingButton(menu: Menu, formats: readonly OutputFormat[]): HTMLElement {
    const save = (format: OutputFormat) => {
      announce('writing…');
      this.engine?.ask({ kind: 'write', format });
    };
    return menuButton(menu, 'Recording', 'save all of it, or open another one', () => [
      {
        heading: 'Save all of it',
        actions: formats.map((format) => ({ text: SAVED[format], key: '', act: () => save(format) })),
      },
      {
        heading: 'Open',
        actions: [
          { text: 'Another recording…', key: '', act: () => this.choose() },
          { text: 'Close this one', key: '', act: () => this.reset() },
        ],
      },
    ]);
  }

  /** Stops what is going on, and forgets it. */
  private reset(): void {
    if (this.shown === 'report') history.replaceState(null, '', location.pathname);
    this.clear();
    this.dropped = { drops: [], added: [] };
    this.showStart(null);
  }

  private clear(): void {
    this.stopFetching();
    this.engine?.stop();
    this.engine = null;
    this.working = null;
    this.isComparable = false;
    this.wipe();
  }

  /** Takes away what is drawn. */
  private wipe(): void {
    endReport();
    document.title = TITLE;
    document.body.replaceChildren(...this.own);
    delete this.container.dataset['start'];
  }

  private showStart(failure: Failure | null): void {
    const events = {
      choose: () => this.choose(),
      demo: () => this.open([this.demoFile]),
      byCalls: () => this.work(this.dropped, { ...this.options, byCalls: true }),
      back: this.wayBack(),
    };
    this.show('start', startScreen(events, failure && { failure, names: this.names }));
  }

  /** What a comparison failed with is shown again: its report gave way to the work. */
  private wayBack(): StartEvents['back'] {
    const { drops } = this.dropped;
    const [first] = drops;
    if (first === undefined || drops.length === 1) return null;
    return { name: nameOf(first), show: () => this.work({ drops: [first], added: [] }, OPTIONS) };
  }

  private prepare(): void {
    if (this.shown !== 'working' && this.shown !== 'report') this.prepared ??= this.newEngine();
  }

  private show(shown: Shown, element: HTMLElement): void {
    const isFirst = this.container.childElementCount === 0 && this.dropped.drops.length === 0;
    this.shown = shown;
    this.container.replaceChildren(element);
    whenIdle(() => this.prepare());
    if (!isFirst) element.querySelector<HTMLElement>('h2')?.focus();
  }
}

function nameOf([first, ...others]: readonly File[]): string {
  return others.length === 0 ? `${first?.name}` : `${first?.name} and ${others.length} more`;
}

/** There, an engine that starts workers while it begins itself hangs: 6 of 93 did, and none of 112 that start them later. */
const isFirefox = navigator.userAgent.includes('Firefox/');

/** Each takes some megabytes before it has work. */
const PREPARED_WORKERS = 4;

/** Safari has no better way. */
function whenIdle(act: () => void): void {
  if ('requestIdleCallback' in window) requestIdleCallback(act);
  else setTimeout(act);
}

/** In GiB, as far as browsers tell: they say 8 for more, and some say nothing. */
const { deviceMemory = 8 } = navigator as { readonly deviceMemory?: number };

const OPTIONS: OpenOptions = {
  memoryBytes: (deviceMemory * 2 ** 30) / 4, // as the command line
  jobs: Math.max(1, navigator.hardwareConcurrency || 1),
  withoutBinaries: false,
  byCalls: false,
  isSwapped: false,
};

const PERF_DATA = 'PERFILE2';
/** perf.data, a pack or compressed text, an imported trace. */
const RECORDINGS = [PERF_DATA, '\x1f\x8b', '\x8fPTF'];
const ELF = '\x7fELF';

/** Whether one of the files begins like this. One that cannot be read does not: opening it says why. */
async function isAny(files: readonly File[], beginnings: readonly string[]): Promise<boolean> {
  const nothing = () => new ArrayBuffer(0);
  const firsts = await Promise.all(files.map((file) => file.slice(0, 8).arrayBuffer().catch(nothing)));
  const texts = firsts.map((first) => String.fromCharCode(...new Uint8Array(first)));
  return texts.some((text) => beginnings.some((beginning) => text.startsWith(beginning)));
}

/** Shows the head of a report. The engine wrote it as it does for files, with all names escaped; scripts in it would not run. */
function showHead(markup: string): void {
  const parsed = new DOMParser().parseFromString(markup, 'text/html');
  document.querySelector('header')?.remove();
  document.body.prepend(...[...parsed.body.children].map((child) => document.adoptNode(child)));
}

/** Adds what the command line would say to what the trust chip opens. */
function addNotes(notes: readonly string[]): void {
  const items = notes.map((note) => html('li', {}, note));
  if (items.length > 0) document.getElementById('trust')?.prepend(html('ul', { class: 'warnings' }, ...items));
}

async function startPage(): Promise<void> {
  restoreTheme();
  const engine = new Blob([await inflated(packed('engine'))], { type: 'text/javascript' });
  new OfflinePage(engine, new File([packed('demo')], 'demo.txt.gz'));
}

/** Returns bytes that the file has as base64. */
function packed(id: string): Uint8Array<ArrayBuffer> {
  return bytesOf(document.getElementById(id)?.textContent ?? '');
}

void startPage();
