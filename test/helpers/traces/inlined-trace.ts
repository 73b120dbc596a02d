/**
 * A trace of a program with inlined functions.
 */
export const PROGRAM = '/opt/fx/calls';
const START = 0x5555_5555_4000;
/** Functions of fixtures/dwarf/inlined/gcc-5. */
const FUNCTIONS = { main: 0x1070, leaf: 0x11a0, outer: 0x11f0 };

function place(offset: number, name: keyof typeof FUNCTIONS): string {
  return `${(START + offset).toString(16)} ${name}+0x${(offset - FUNCTIONS[name]).toString(16)} (${PROGRAM})`;
}

type Branch = readonly [kind: string, from: string, to: string];

/** A call at this offset in `caller` of a function that returns. */
function callOfLeaf(offset: number, caller: keyof typeof FUNCTIONS): Branch[] {
  const leaf = FUNCTIONS.leaf;
  return [
    ['call', place(offset, caller), place(leaf, 'leaf')],
    ['return', place(leaf + 14, 'leaf'), place(offset + 5, caller)],
  ];
}

const ROUND: readonly Branch[] = [
  ['call', place(0x1076, 'main'), place(FUNCTIONS.outer, 'outer')],
  ...callOfLeaf(0x1212, 'outer'),
  ...callOfLeaf(0x121c, 'outer'),
  ...callOfLeaf(0x124b, 'outer'),
  ...callOfLeaf(0x1274, 'outer'),
  ['return', place(0x1280, 'outer'), place(0x107b, 'main')],
  ...callOfLeaf(0x109a, 'main'),
];

/** Calls of `leaf` from code of other functions that were inlined in `outer` and `main`, and one from `outer` itself: ten nanoseconds each. */
export function inlinedTrace(rounds: number): string {
  const branches = Array.from({ length: rounds }, () => ROUND).flat();
  return [
    `calls 7 9.000000000: PERF_RECORD_MMAP2 7/7: [0x${(START + 0x1000).toString(16)}(0x1000) @ 0x1000 fe:00 1 0]: r-xp ${PROGRAM}`,
    ...branches.map(([kind, from, to], row) => {
      return `calls 7/7 [000] 10.${String(10 * row).padStart(9, '0')}: branches:uH: ${kind} ${from} => ${to}`;
    }),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

export const INLINED_TRACE = inlinedTrace(1);
