/**
 * Draws one line on standard error again and again while work goes on, and clears it at the end.
 */
import { requestedWidth } from './width.js';

export interface StatusLine {
  /** Runs `print`, whose lines appear above the status line. */
  printAbove(print: () => void): void;
  /** Clears the line. */
  stop(): void;
}

const NO_LINE: StatusLine = { printAbove: (print) => print(), stop() {} };

/** Shorter work shows no status line. */
const FIRST_DRAW_MS = 1000;
const REDRAWS_PER_SECOND = 5;
const DEFAULT_WIDTH = 80;

/**
 * Starts a status line. `text` returns its current text, shorter than `width` columns. Nothing is drawn with `quiet`,
 * on dumb terminals, or if standard error is a file or a pipe.
 */
export function startStatusLine(quiet: boolean, text: (width: number) => string): StatusLine {
  if (quiet || !process.stderr.isTTY || process.env['TERM'] === 'dumb') return NO_LINE;
  return new DrawnLine(text);
}

class DrawnLine implements StatusLine {
  readonly #text: (width: number) => string;
  readonly #timer = setTimeout(() => void this.#begin(), FIRST_DRAW_MS).unref();
  #bar: { start(total: number, value: number): void; stop(): void } | null = null;
  #isOver = false;

  constructor(text: (width: number) => string) {
    this.#text = text;
    process.once('exit', this.stop); // clears the line after an interrupt, too
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

  /** Loads cli-progress only now: most runs end before the first draw. */
  async #begin(): Promise<void> {
    const { default: cliProgress } = await import('cli-progress');
    if (this.#isOver) return;
    const format = () => this.#text((requestedWidth() ?? process.stderr.columns ?? DEFAULT_WIDTH) - 1);
    const options = { format, stream: process.stderr, clearOnComplete: true, linewrap: true, fps: REDRAWS_PER_SECOND };
    this.#bar = new cliProgress.SingleBar(options);
    this.#bar.start(1, 0);
  }
}
