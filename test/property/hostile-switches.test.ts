/**
 * Whatever order functions that switch stacks, raise and recover are called in: replay ends, and no time is lost.
 */
import { expect, test } from 'vitest';
import { Random } from '../../fuzz/random.js';
import { analyzeForPage } from '../../src/page/contents/analyze-for-page.js';
import { times } from '../helpers/random/times.js';
import { inputOf } from '../helpers/traces/load.js';

const FUNCTIONS = [
  ...['main', 'a', 'b', 'c', 'sw', 'fiber', 'swapcontext', 'swapcontext@plt', 'jump_fcontext', 'ontop_fcontext'],
  ...['runtime.gogo', 'runtime.mcall', 'runtime.systemstack', 'gosave_systemstack_switch', 'runtime.morestack'],
  ...['runtime.mstart0', 'runtime.gopanic', 'siglongjmp', '__longjmp', '__sigsetjmp', '__cxa_throw'],
  ...['_Unwind_RaiseException', '_Unwind_Resume', '_init'],
];
/** Calls and returns fit each other often, as offsets are few. */
const OFFSETS = [0, 0x10, 0x15, 0x20, 0x25];
const KINDS = [
  ...Array(8).fill('call'),
  ...Array(8).fill('return'),
  'jmp',
  'jmp',
  'tr end  syscall',
  'tr end',
  'error',
];

test('random switches of stacks', async () => {
  const random = new Random(11, 0);
  for (let run = 0; run < times(400); run++) {
    const text = randomTrace(random, 3 + random.below(120));
    const fibers = pick(random, ['root', 'nest'] as const);
    const tailCalls = pick(random, ['nest', 'replace'] as const);
    const options = { fibers, tailCalls, extend: false, durations: true, longestCalls: {} };
    const { profile } = await analyzeForPage([inputOf(text)], options).catch((error: Error) => {
      throw new Error(`${fibers} ${tailCalls}: ${error.message}\n${text}`, { cause: error });
    });
    for (const { tree, startNs, endNs } of profile.threads) {
      const selfNs = tree.selfNs.reduce((sum, ns) => sum + ns, 0);
      expect(selfNs, text).toBe(endNs - startNs);
    }
  }
});

function randomTrace(random: Random, events: number): string {
  const names = Array.from({ length: 3 + random.below(8) }, () => pick(random, FUNCTIONS));
  const lines: string[] = [];
  let ns = 0;
  let last = place(random, names);
  for (let event = 0; event < events; event++) {
    ns += random.below(40);
    const kind = lines.length === 0 ? 'tr strt' : pick(random, KINDS);
    const time = `1.${String(ns).padStart(9, '0')}`;
    if (kind === 'error') {
      lines.push(` instruction trace error type 1 time ${time} cpu 0 pid 7 tid 7 ip 0 code 7: Overflow packet`);
      continue;
    }
    const next = place(random, names);
    const from = random.below(4) === 0 ? place(random, names) : last;
    if (kind === 'tr strt') lines.push(`7 [000] ${time}:   tr strt   0 [unknown] => ${next}`);
    else if (kind.startsWith('tr end')) {
      lines.push(`7 [000] ${time}:   ${kind}   ${from} => 0 [unknown]`);
      lines.push(`7 [000] ${time}:   tr strt   0 [unknown] => ${random.below(2) === 0 ? from : next}`);
    } else lines.push(`7 [000] ${time}:   ${kind}   ${from} => ${next}`);
    last = next;
  }
  return `${lines.join('\n')}\n`;
}

function place(random: Random, names: readonly string[]): string {
  const at = random.below(names.length);
  const offset = pick(random, OFFSETS);
  return `${(0x1000 * (1 + at) + offset).toString(16)} ${names[at]}+0x${offset.toString(16)}`;
}

function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[random.below(items.length)] as Item;
}
