/**
 * What comes from perf's standard error. The command that perf runs writes there too: perf's own words are kept, the rest is
 * passed on.
 */

const MOST_BYTES = 32 * 1024;

/** perf's summary at the end. */
const ITS_OWN = /^\[ perf record: .*\n/gm;
/** How such a line begins: perf writes it in pieces. */
const ITS_BEGINNING = '[ perf record: ';

export class PerfStderr {
  readonly #to: NodeJS.WritableStream | null;
  #isHeld = true;
  #first = '';
  #last = '';
  /** The beginning of a line that may become one of perf's. */
  #pending = '';

  /** `to`: where the command's words go; null if there is no command. */
  constructor(to: NodeJS.WritableStream | null) {
    this.#to = to;
  }

  /** All that was said, or its beginning and its end. Latin-1, in which bytes stay what they are. */
  get text(): string {
    return Buffer.from(this.#first + this.#last, 'latin1').toString('utf8');
  }

  add(bytes: Buffer): void {
    const text = bytes.toString('latin1');
    if (!this.#isHeld) this.#passOn(text);
    const room = MOST_BYTES - this.#first.length;
    this.#first += text.slice(0, room);
    this.#last = (this.#last + text.slice(room)).slice(-MOST_BYTES);
    if (this.#isHeld && this.#last !== '') this.release(); // so much is not a complaint of perf's
  }

  /** perf runs: what it had to complain about at its start it has said, and what comes now is of the command. */
  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#passOn(this.#first + this.#last);
  }

  /** Nothing more will come. */
  end(): void {
    if (!this.#isHeld) this.#to?.write(Buffer.from(this.#pending, 'latin1'));
    this.#pending = '';
  }

  #passOn(text: string): void {
    const all = this.#pending + text;
    const cut = all.lastIndexOf('\n') + 1;
    const line = all.slice(cut);
    const mayBeIts = line !== '' && (line.startsWith(ITS_BEGINNING) || ITS_BEGINNING.startsWith(line));
    this.#pending = mayBeIts ? line : '';
    const others = (mayBeIts ? all.slice(0, cut) : all).replace(ITS_OWN, '');
    if (others !== '') this.#to?.write(Buffer.from(others, 'latin1'));
  }
}
