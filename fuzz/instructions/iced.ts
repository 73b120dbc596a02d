/**
 * `node dist/fuzz/instructions/iced.js [--amount 1000000] [--seed 1] [--show 10]`: compares random instructions with iced-x86.
 */
import { parseArgs } from 'node:util';
import { compareWithIced } from './compare-iced.js';

const { values } = parseArgs({
  options: {
    amount: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '1' },
    show: { type: 'string', default: '10' },
  },
});

const { instructions, known, unknown } = compareWithIced({ seed: Number(values.seed), amount: Number(values.amount) });
console.log(`${values.amount} cases, ${instructions} instructions for iced-x86, ${unknown.length} differ`);
for (const line of unknown.slice(0, Number(values.show))) console.log(line);
for (const [name, count] of [...known].sort(([, a], [, b]) => b - a)) console.log(`${count} ${name}`);
if (unknown.length > 0) process.exitCode = 1;
