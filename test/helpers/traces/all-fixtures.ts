/**
 * Lists all fixtures that are the text of a trace with times.
 */
import { readdirSync } from 'node:fs';

const FIXTURES = 'fixtures';
const FOLDERS = ['hardware', 'lab', 'constructed', 'truth', 'demo', 'damaged'];
const TRACE = /\.txt(?:\.gz)?$/;
/** Fixtures in which no function runs. */
const OTHERS = /sampling-callchain|one-line-of-blanks|^begins-and-ends-only/;

export const traceFiles: readonly string[] = FOLDERS.flatMap((folder) =>
  readdirSync(`${FIXTURES}/${folder}`)
    .filter((name) => TRACE.test(name) && !OTHERS.test(name))
    .map((name) => `${FIXTURES}/${folder}/${name}`),
);
