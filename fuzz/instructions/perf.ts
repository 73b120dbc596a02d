/**
 * `node dist/fuzz/instructions/perf.js [--amount 10000] [--seed 1] [--show 10]`: random instructions, whose lengths stock perf
 * judges: it must walk from the start of each that is no branch to its end.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { KIND_NONE } from '../../src/decode/wasm/layout.js';
import { judgeLines } from '../pt/judge.js';
import { addressPacket, cbr, FUP, PGE, PSB, PSBEND, SIGNED_6, TIP, tsc } from '../pt/packets.js';
import { Random } from '../random.js';
import { type Decoded, MAX_INSTRUCTION_BYTES, OwnInstructions } from './own-instructions.js';
import { randomInstruction } from './random-instructions.js';

const { values } = parseArgs({
  options: {
    amount: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    show: { type: 'string', default: '10' },
  },
});
const BATCH = 1000;
const SLOT_BYTES = 64;
const BASE = 0x40_0000;
const TICK = 1n << 30n;
const SETTINGS = { shift: 0, mult: 1, zero: 0, mtcPeriod: 3, ctcNumerator: 250, ctcDenominator: 2, maxBusRatio: 30 };
const own = new OwnInstructions();
const folder = mkdtempSync(join(tmpdir(), 'ptflame-lengths-'));
let different = 0;
for (let first = 0; first < Number(values.amount); first += BATCH) compare(first);
rmSync(folder, { recursive: true });
console.log(`${values.amount} instructions, ${different} differ`);

function compare(first: number): void {
  const code = new Uint8Array(BATCH * SLOT_BYTES).fill(0x90);
  const decoded: Decoded[] = [];
  for (let row = 0; row < BATCH; row++) {
    const bytes = randomInstruction(new Random(Number(values.seed), first + row));
    own.load(bytes);
    decoded.push(own.decodeAt(0));
    code.set(bytes, row * SLOT_BYTES);
  }
  const cases = decoded.map(({ length }, row) => {
    const at = BASE + row * SLOT_BYTES;
    const walk = [addressPacket(PGE, at, SIGNED_6), addressPacket(FUP, at + (length || 1), SIGNED_6)];
    return { tick: TICK, pieces: [[PSB, tsc(TICK), cbr(30), PSBEND, ...walk, addressPacket(TIP, at, SIGNED_6)]] };
  });
  judgeLines({ folder, settings: SETTINGS, code, codeStart: BASE, cases, allBranches: true }).forEach(
    ({ perf }, row) => {
      const { length, kind } = decoded[row] as Decoded;
      const [, , error = 'none', ip] = perf?.errors[0]?.split(' ') ?? [];
      const isRefused = error === '5' && ip === (BASE + row * SLOT_BYTES).toString(16);
      if (kind !== KIND_NONE || (length === 0 ? isRefused : error === 'none')) return;
      if (different++ < Number(values.show)) {
        const bytes = code.subarray(row * SLOT_BYTES, row * SLOT_BYTES + MAX_INSTRUCTION_BYTES);
        console.log(`${Buffer.from(bytes).toString('hex')}: ${length} bytes; perf: error ${error}`);
      }
    },
  );
}
