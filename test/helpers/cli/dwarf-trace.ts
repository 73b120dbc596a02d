/**
 * A trace of functions of fixtures/dwarf/gcc-5.
 */
export const DWARF_PROGRAM = '/opt/fx/plain';
const START = 0x5555_5555_4000;
/** Returns an address in the program, as perf prints it. */
export const dwarfAddress = (offset: number) => (START + offset).toString(16);
const at = dwarfAddress;
export const dwarfBranch = (ns: number, kind: string, from: string, to: string) =>
  `plain 7/7 [000] 10.00000${1000 + ns}: branches:uH: ${kind} ${from} (${DWARF_PROGRAM}) => ${to} (${DWARF_PROGRAM})`;
const branch = dwarfBranch;

export const DWARF_CALL = `${at(0x1182)} visible+0xe`;
export const DWARF_BACK = `${at(0x1187)} visible+0x13`;
export const DWARF_TRACE = [
  `plain 7 9.000000000: PERF_RECORD_MMAP2 7/7: [0x${at(0x1000)}(0x1000) @ 0x1000 fe:00 1 0]: r-xp ${DWARF_PROGRAM}`,
  branch(1, 'call', `${at(0x11b3)} main+0x14`, `${at(0x1174)} visible+0x0`),
  branch(2, 'call', DWARF_CALL, `${at(0x1154)} hidden+0x0`),
  branch(3, 'call', `${at(0x1164)} hidden+0x10`, `${at(0x1139)} twice+0x0`),
  branch(4, 'return', `${at(0x1153)} twice+0x1a`, `${at(0x1169)} hidden+0x15`),
  branch(5, 'return', `${at(0x1173)} hidden+0x1f`, DWARF_BACK),
  branch(6, 'return', `${at(0x1192)} visible+0x1e`, `${at(0x11b8)} main+0x19`),
]
  .map((line) => `${line}\n`)
  .join('');
