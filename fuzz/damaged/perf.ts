/**
 * `node dist/fuzz/damaged/perf.js [--amount 1000] [--seed 1] [--flips 1] [--every] [--symfs DIR] [RECORDING …]`: flips bits in the
 * trace of recordings and compares every event and error with those of perf. Without recordings: those in fixtures. `--every`: every
 * branch, not only calls and returns.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { takeApart } from '../../test/helpers/perf/rewrite.js';
import { FIXTURES, NAMES } from './damaged-recordings.js';
import { judgeFlips } from './judge-flips.js';

const { values, positionals } = parseArgs({
  options: {
    amount: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    case: { type: 'string' },
    flips: { type: 'string', default: '1' },
    every: { type: 'boolean', default: false },
    symfs: { type: 'string' },
    show: { type: 'string', default: '10' },
  },
  allowPositionals: true,
});
const isOwnFixture = positionals.length === 0;
const paths = isOwnFixture ? NAMES.map((name) => fileURLToPath(new URL(`${name}.data`, FIXTURES))) : positionals;
const folder = mkdtempSync(join(tmpdir(), 'ptflame-flips-'));
const options = {
  recordings: paths.map((path) => takeApart(readFileSync(path))),
  symfs: values.symfs ?? (isOwnFixture ? fileURLToPath(new URL('root', FIXTURES)) : ''),
  seed: Number(values.seed),
  flips: Number(values.flips),
  allBranches: values.every,
  path: join(folder, 'flipped.data'),
};
const counts = { equal: 0, different: 0, crashes: 0 };
const first = Number(values.case ?? 0);
const end = values.case === undefined ? Number(values.amount) : first + 1;
for (let number = first; number < end; number++) {
  const { row, flips, difference, hasCrashed } = await judgeFlips(options, number);
  if (hasCrashed) counts.crashes++;
  else if (difference === null) counts.equal++;
  else if (counts.different++ < Number(values.show))
    console.log(`case ${number}: ${paths[row]}, ${flips.join(', ')}: ${difference}`);
}
if (values.case === undefined) rmSync(folder, { recursive: true });
else console.log(options.path);
console.log(JSON.stringify(counts));
