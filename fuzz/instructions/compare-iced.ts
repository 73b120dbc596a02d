/**
 * Compares lengths and kinds of random instructions with those of iced-x86. What that does not know must only not be longer than an
 * instruction can be.
 */
import { Random } from '../random.js';
import { decodeByIced } from './iced-decoder.js';
import { knownDifference } from './known-differences.js';
import { MAX_INSTRUCTION_BYTES, OwnInstructions } from './own-instructions.js';
import { randomInstruction } from './random-instructions.js';

export interface Comparison {
  /** Cases that are instructions for iced-x86. */
  readonly instructions: number;
  /** Known differences, by class. */
  readonly known: ReadonlyMap<string, number>;
  /** Other differences: "bytes name: ours; iced's", each with length and kind. */
  readonly unknown: readonly string[];
}

export function compareWithIced({ seed, amount }: { readonly seed: number; readonly amount: number }): Comparison {
  const own = new OwnInstructions();
  const known = new Map<string, number>();
  const unknown: string[] = [];
  let instructions = 0;
  for (let number = 0; number < amount; number++) {
    const bytes = randomInstruction(new Random(seed, number));
    own.load(bytes);
    const found = own.decodeAt(0);
    if (found.length < 0 || found.length > MAX_INSTRUCTION_BYTES)
      throw new Error(`case ${number}: ${found.length} bytes`);
    const expected = decodeByIced(bytes);
    if (expected === null) continue;
    instructions++;
    if (found.length === expected.length && found.kind === expected.kind) continue;
    const name = knownDifference(bytes, found, expected);
    if (name !== null) known.set(name, (known.get(name) ?? 0) + 1);
    else
      unknown.push(
        `${Buffer.from(bytes).toString('hex')} ${expected.name}: ${found.length}, ${found.kind}; ${expected.length}, ${expected.kind}`,
      );
  }
  return { instructions, known, unknown };
}
