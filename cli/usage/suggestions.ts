/**
 * Suggests the word that was probably meant by a mistyped one.
 */
import { similarNames } from '../../src/render/similar-names.js';

/** Shorter words are similar to too many others. */
const MIN_LETTERS = 3;

/** "anotate" or "--annot" → "--annotate"; null if no word is similar. */
export function nearestWord(word: string, known: readonly string[]): string | null {
  if (bare(word).length < MIN_LETTERS) return null;
  const [nearest] = similarNames(bare(word), known.map(bare));
  return known.find((candidate) => bare(candidate) === nearest) ?? null;
}

/** What other tools and people call our commands. */
const COMMAND_WORDS: Readonly<Record<string, string>> = {
  ...of('render', 'draw graph flamegraph flame plot svg html folded show picture'),
  ...of('record', 'trace attach capture profile run start'),
  ...of('report', 'top stat stats list annotate functions hot'),
  ...of('import', 'script convert decode load'),
  ...of('diff', 'compare cmp'),
  ...of('doctor', 'check verify setup'),
  ...of('info', 'describe inspect header file'),
  ...of('pack', 'archive bundle zip'),
  ...of('serve', 'view open web http browse ui'),
  ...of('latency', 'histogram percentile percentiles slow'),
  ...of('waits', 'sched offcpu off-cpu blocked'),
  ...of('export', 'parquet'),
};

/** The same of options, of those commands that have them. */
const OPTION_WORDS: Readonly<Record<string, string>> = {
  ...of('top', 'n limit max-rows rows count'),
  ...of('tid', 'thread'),
  ...of('pid', 'process'),
  ...of('window', 'range from to start end between'),
  ...of('time', 'duration seconds sleep'),
  ...of('format', 'f type'),
  ...of('match', 'function filter grep symbol'),
  ...of('inside', 'function within'),
  ...of('min-call', 'min-duration threshold min-latency'),
  ...of('output', 'out file html svg folded pdf png'),
  ...of('jobs', 'workers parallel cores'),
};

function of(meant: string, words: string): Record<string, string> {
  return Object.fromEntries(words.split(' ').map((word) => [word, meant]));
}

/** Returns the command that is meant by a word of another tool; null: not known. */
export function commandMeant(word: string): string | null {
  return Object.hasOwn(COMMAND_WORDS, word) ? (COMMAND_WORDS[word] as string) : null;
}

/** The same of an option, with or without dashes. */
export function optionMeant(word: string): string | null {
  const known = bare(word).toLowerCase();
  return Object.hasOwn(OPTION_WORDS, known) ? (OPTION_WORDS[known] as string) : null;
}

function bare(word: string): string {
  return word.replace(/^-+/, '');
}
