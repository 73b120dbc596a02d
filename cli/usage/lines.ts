/**
 * Text → lines that fit a terminal.
 */

/** Breaks at blanks; a word that is longer than a line has one for itself. */
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
/** Longer terms have a line for themselves. */
const WIDEST_TERM = 24;

type Rows = readonly (readonly [term: string, ...meaning: string[]])[];

/** How wide the terms are that share a line with their meaning. */
export function widestTerm(rows: Rows, widest = WIDEST_TERM): number {
  return Math.max(0, ...rows.map(([term]) => term.length).filter((length) => length <= widest));
}

/** Two columns: terms, of which the first is `termWidth` wide, and what they mean. */
export function definitions(
  rows: readonly (readonly [term: string, meaning: string])[],
  width: number,
  termWidth = widestTerm(rows),
): string[] {
  const column = INDENT + termWidth + GAP;
  return rows.flatMap(([term, meaning]) => {
    const lines = wrap(meaning, Math.max(width - column, WIDEST_TERM)).map((line) => ' '.repeat(column) + line);
    const head = ' '.repeat(INDENT) + term;
    if (term.length > termWidth) return [head, ...lines];
    return [head.padEnd(column) + lines[0].slice(column), ...lines.slice(1)];
  });
}
