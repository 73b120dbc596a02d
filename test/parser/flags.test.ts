/**
 * perf's flag column: each text of perf ≤ 6.14 and of perf ≥ 6.15, and its meaning.
 */
import { describe, expect, test } from 'vitest';
import { BranchKind, TraceEdge } from '../../src/model/trace/branch-sites.js';
import { parsePerfLine } from '../../src/parser/lines/perf-line.js';
import { parseFlags } from '../../src/parser/lines/perf-line-types.js';

/** "End Syscall"; branches not taken and unknown flags are marked at the end. */
function meaning({ kind, edge, notTaken, unknown }: ReturnType<typeof parseFlags>): string {
  const words = [keyOf(TraceEdge, edge), keyOf(BranchKind, kind)].filter((word) => word !== 'None');
  return words.join(' ') + (notTaken ? ', not taken' : '') + (unknown === null ? '' : `, unknown "${unknown}"`);
}

function keyOf(table: Readonly<Record<string, number>>, code: number): string {
  return Object.keys(table).find((key) => table[key] === code) ?? `code ${code}`;
}

const BRANCHES: readonly (readonly [string, string])[] = [
  ['call', 'Call'],
  ['return', 'Return'],
  ['jmp', 'Jump'],
  ['jcc', 'Jump'],
  ['int', 'Interrupt'],
  ['hw int', 'Interrupt'],
  ['iret', 'Iret'],
  ['syscall', 'Syscall'],
  ['sysret', 'Sysret'],
  ['async', 'Async'],
  ['tx abrt', 'TxAbort'],
  ['vmentry', 'VmEntry'],
  ['vmexit', 'VmExit'],
  ['br miss', 'Jump'],
];

const EDGES_ALONE: readonly (readonly [string, string])[] = [
  ['tr strt', 'Begin'],
  ['tr end', 'End'],
  ['tr strt tr end', 'BeginAndEnd'],
];

/** Two blanks follow "tr end", one follows "tr strt". */
const EDGES_WITH_A_BRANCH = BRANCHES.flatMap(([words, kind]): [string, string][] => [
  [`tr end  ${words}`, `End ${kind}`],
  [`tr strt ${words}`, `Begin ${kind}`],
]);

const WITH_STATE: readonly (readonly [string, string])[] = [
  ['call              (x)', 'Call'],
  ['jcc              (xD)', 'Jump'],
  ['call              (t)', 'Call'],
  ['return           (Dt)', 'Return'],
  ['hw int            (D)', 'Interrupt'],
  ['tr strt           (x)', 'Begin'],
  ['tr end  async     (D)', 'End Async'],
  ['return             ()', 'Return'],
  ['tr strt            ()', 'Begin'],
  ['tr strt jmp        ()', 'Begin Jump'],
  ['tr end  jmp        ()', 'End Jump'],
];

const ARM: readonly (readonly [string, string])[] = [
  ['jcc/miss/', 'Jump'],
  ['jcc/not_taken/', 'Jump, not taken'],
  ['jcc/miss,not_taken/', 'Jump, not taken'],
  ['return/miss/', 'Return'],
  ['tr end  jcc/miss/', 'End Jump'],
  ['jcc/miss/         (x)', 'Jump'],
];

/** Letters are in the order of perf's bits: bcrosyiABExghDt. */
const UNNAMED: readonly (readonly [string, string])[] = [
  ['bcos', 'Call'],
  ['bros', 'Return'],
  ['bo', 'Jump'],
  ['bcB', 'Begin Call'],
  ['brE', 'End Return'],
  ['bsB', 'Begin'],
  ['byiE', 'End'],
  ['bBE', 'BeginAndEnd'],
  ['bx?', 'Jump'],
  ['raw flags:0x3', 'Call'],
  ['raw flags:0x5', 'Return'],
  ['raw flags:0x1', 'Jump'],
  ['raw flags:0x101', 'Begin'],
  ['raw flags:0x203', 'End Call'],
  ['raw flags:0x301', 'BeginAndEnd'],
];

const PRINTED = [...BRANCHES, ...EDGES_ALONE, ...EDGES_WITH_A_BRANCH, ...WITH_STATE, ...ARM, ...UNNAMED];

describe.each(PRINTED)('parses "%s" as %s', (words, expected) => {
  test('alone', () => {
    expect(meaning(parseFlags(words))).toBe(expected);
  });

  test.each([
    ['in its column', words.padEnd(21)],
    ['in a column as wide as in old versions', words.padEnd(40)],
    ['without padding', words],
  ])('%s', (_, column) => {
    for (const event of ['', 'branches:uH:   ', '1 branches:u:  ', '         1  ']) {
      const line = `14820 [000]  1000.000000080:   ${event}${column} 401163 main+0xa3 => 401260 leaf+0x0`;
      const parsed = parsePerfLine(line);
      expect(parsed).toMatchObject({ type: 'branch', from: '401163 main+0xa3', to: '401260 leaf+0x0' });
      expect(parsed.type === 'branch' && meaning(parsed.flags)).toBe(expected);
    }
  });
});

describe('treats flags that no known perf prints as jumps, and reports them', () => {
  test.each([
    ['hop', 'Jump, unknown "hop"'],
    ['tr end  hop', 'End Jump, unknown "tr end  hop"'],
    ['tr strt hop', 'Begin Jump, unknown "tr strt hop"'],
    ['hop               (x)', 'Jump, unknown "hop"'],
    ['long hop', 'Jump, unknown "long hop"'],
    ['callback', 'Jump, unknown "callback"'],
    ['call/novel-event/', 'Jump, unknown "call/novel-event/"'],
  ])('"%s"', (words, expected) => {
    expect(meaning(parseFlags(words))).toBe(expected);
    const parsed = parsePerfLine(`14820 [000]  1000.000000080:   ${words.padEnd(21)} 401163 a+0xa3 => 401260 b+0x0`);
    expect(parsed.type === 'branch' && meaning(parsed.flags)).toBe(expected);
  });
});
