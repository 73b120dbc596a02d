/**
 * All fixtures that are the text of a trace with times.
 */
import { readdirSync } from 'node:fs';

const FIXTURES = 'fixtures';
const FOLDERS = ['hardware', 'lab', 'constructed', 'truth', 'demo', 'damaged'];
const TRACE = /\.txt(?:\.gz)?$/;
/** They have no branch that can be replayed. */
const OTHERS = /sampling-callchain|one-line-of-blanks/;

export const traceFiles: readonly string[] = FOLDERS.flatMap((folder) =>
  readdirSync(`${FIXTURES}/${folder}`)
    .filter((name) => TRACE.test(name) && !OTHERS.test(name))
    .map((name) => `${FIXTURES}/${folder}/${name}`),
);
