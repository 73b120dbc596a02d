/**
 * Wraps text into lines that fit a terminal.
 */

/** Wraps at spaces; a word longer than a line gets its own. */
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

const INDENT = 2;
const GAP = 2;
/** Longer terms get their own line. */
const MAX_TERM_WIDTH = 24;

type Rows = readonly (readonly [term: string, ...meaning: string[]])[];

/** Returns the width of the widest term that shares a line with its meaning. */
export function widestTerm(rows: Rows, maxWidth = MAX_TERM_WIDTH): number {
  return Math.max(0, ...rows.map(([term]) => term.length).filter((length) => length <= maxWidth));
}

/** Formats terms and their meanings in two columns, the first `termWidth` wide. */
export function definitions(
  rows: readonly (readonly [term: string, meaning: string])[],
  width: number,
  termWidth = widestTerm(rows),
): string[] {
  const column = INDENT + termWidth + GAP;
  return rows.flatMap(([term, meaning]) => {
    const lines = wrap(meaning, Math.max(width - column, MAX_TERM_WIDTH)).map((line) => ' '.repeat(column) + line);
    const head = ' '.repeat(INDENT) + term;
    if (term.length > termWidth) return [head, ...lines];
    return [head.padEnd(column) + lines[0].slice(column), ...lines.slice(1)];
  });
}
