/**
 * Decides how wide tables, help texts and lines of text may be, and wraps the latter.
 */

const FILE_WIDTH = 160;
const MIN_WIDTH = 40;

/** Returns `COLUMNS`, or the width of the terminal, or 160 for a file or a pipe. */
export function tableWidth(): number {
  return requestedWidth() ?? Math.max(MIN_WIDTH, process.stdout.columns ?? FILE_WIDTH);
}

/** Returns the width of tables in files: `COLUMNS`, or 160. */
export function fileWidth(): number {
  return requestedWidth() ?? FILE_WIDTH;
}

/** A word and what it means: "CPU       Xeon, 4 of 4 online"; rows of tables have more gaps. */
const DEFINITION = /^( *\S+(?: \S+)*? {2,})\S/;
const ROW = /\S {2,}\S.*\S {2,}\S/;
const CONTINUED = 2;

/** Wraps lines for a terminal, or for `COLUMNS`; lines in files and pipes, and rows of tables, stay as they are. */
export function* fitted(lines: Iterable<string>, stream: { isTTY?: boolean; columns?: number }): Iterable<string> {
  const width = requestedWidth() ?? (stream.isTTY ? Math.max(MIN_WIDTH, stream.columns ?? FILE_WIDTH) : null);
  for (const line of lines) {
    if (width === null || line.length <= width || ROW.test(line)) yield line;
    else yield* wrapped(line, width);
  }
}

function wrapped(line: string, width: number): string[] {
  const indent = /^ */.exec(line)?.[0] ?? '';
  const head = DEFINITION.exec(line)?.[1] ?? indent;
  const hanging = head === indent ? indent.length + CONTINUED : head.length;
  const [first = '', ...rest] = wrap(line.slice(head.length), Math.max(MIN_WIDTH / 2, width - hanging));
  return [head + first, ...rest.map((part) => ' '.repeat(hanging) + part)];
}

const HELP_FILE_WIDTH = 80;
/** Longer lines are hard to read. */
const MAX_HELP_WIDTH = 100;

/** Returns the width of help texts: as for tables, but at most 100 columns, and 80 in a file or a pipe. */
export function helpWidth(): number {
  return Math.min(requestedWidth() ?? process.stdout.columns ?? HELP_FILE_WIDTH, MAX_HELP_WIDTH);
}

/** Returns `COLUMNS`; null if it is not set to a positive whole number. */
export function requestedWidth(): number | null {
  const columns = Number(process.env['COLUMNS']);
  return Number.isInteger(columns) && columns > 0 ? Math.max(MIN_WIDTH, columns) : null;
}

/** Wraps text at spaces into lines that fit a terminal; a word longer than a line gets its own. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
