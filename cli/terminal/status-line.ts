/**
 * One line on a terminal's standard error that is drawn again and again while work goes on, and is gone behind it.
 */
import { askedWidth } from './width.js';

export interface StatusLine {
  /** Prints other lines: it stays below them. */
  printAbove(print: () => void): void;
  /** Clears it. */
  stop(): void;
}

const NOTHING: StatusLine = { printAbove: (print) => print(), stop() {} };

/** What is done sooner needs none. */
const FIRST_MS = 1000;
const REDRAWS_PER_SECOND = 5;
const USUAL_WIDTH = 80;

/**
 * `text`: what it says now, in one line of less than `width` columns. Nothing is drawn where it would only be in the way:
 * in files and pipes, on dumb terminals, with --quiet.
 */
export function startStatusLine(quiet: boolean, text: (width: number) => string): StatusLine {
  if (quiet || !process.stderr.isTTY || process.env['TERM'] === 'dumb') return NOTHING;
  return new DrawnLine(text);
}

class DrawnLine implements StatusLine {
  readonly #text: (width: number) => string;
  readonly #timer = setTimeout(() => void this.#begin(), FIRST_MS).unref();
  #bar: { start(total: number, value: number): void; stop(): void } | null = null;
  #isOver = false;

  constructor(text: (width: number) => string) {
    this.#text = text;
    process.once('exit', this.stop); // an interrupt leaves none behind either
  }

  printAbove(print: () => void): void {
    this.#bar?.stop();
    print();
    this.#bar?.start(1, 0);
  }

  readonly stop = (): void => {
    this.#isOver = true;
    process.off('exit', this.stop);
    clearTimeout(this.#timer);
    this.#bar?.stop();
    this.#bar = null;
  };

  /** Only now what draws is loaded: most runs are over before. */
  async #begin(): Promise<void> {
    const { default: cliProgress } = await import('cli-progress');
    if (this.#isOver) return;
    const format = () => this.#text((askedWidth() ?? process.stderr.columns ?? USUAL_WIDTH) - 1);
    const options = { format, stream: process.stderr, clearOnComplete: true, linewrap: true, fps: REDRAWS_PER_SECOND };
    this.#bar = new cliProgress.SingleBar(options);
    this.#bar.start(1, 0);
  }
}
