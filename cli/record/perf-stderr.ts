/**
 * Reads perf's standard error, to which the command that perf runs also writes: keeps it for error messages, and passes it on
 * without perf's own lines.
 */

const MAX_BYTES = 32 * 1024;

/** perf's summary at the end. */
const PERF_LINES = /^\[ perf record: .*\n/gm;
/** The start of such a line, which may arrive in pieces. */
const PERF_PREFIX = '[ perf record: ';

export class PerfStderr {
  readonly #to: NodeJS.WritableStream | null;
  #isHeld = true;
  #first = '';
  #last = '';
  /** The start of a line that may turn out to be perf's. */
  #pending = '';

  /** `to` receives the command's output; null if there is no command. */
  constructor(to: NodeJS.WritableStream | null) {
    this.#to = to;
  }

  /** Everything read, or its start and its end. Kept as Latin-1, which preserves all bytes. */
  get text(): string {
    return Buffer.from(this.#first + this.#last, 'latin1').toString('utf8');
  }

  add(bytes: Buffer): void {
    const text = bytes.toString('latin1');
    if (!this.#isHeld) this.#passOn(text);
    const space = MAX_BYTES - this.#first.length;
    this.#first += text.slice(0, space);
    this.#last = (this.#last + text.slice(space)).slice(-MAX_BYTES);
    if (this.#isHeld && this.#last !== '') this.release(); // too much to be an error message of perf
  }

  /** Passes on what was held and all that follows. Call it once perf records: any later text is the command's. */
  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#passOn(this.#first + this.#last);
  }

  /** Passes on the rest; call it at the end of the stream. */
  end(): void {
    if (!this.#isHeld) this.#to?.write(Buffer.from(this.#pending, 'latin1'));
    this.#pending = '';
  }

  #passOn(text: string): void {
    const all = this.#pending + text;
    const cut = all.lastIndexOf('\n') + 1;
    const line = all.slice(cut);
    const mayBePerf = line !== '' && (line.startsWith(PERF_PREFIX) || PERF_PREFIX.startsWith(line));
    this.#pending = mayBePerf ? line : '';
    const others = (mayBePerf ? all.slice(0, cut) : all).replace(PERF_LINES, '');
    if (others !== '') this.#to?.write(Buffer.from(others, 'latin1'));
  }
}
