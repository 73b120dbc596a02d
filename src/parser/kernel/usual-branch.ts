/**
 * The branch of a line in its usual form, read from its bytes: flags, two addresses, their functions with offsets.
 *
 *     "   call                       401163 main+0xa3 =>           401260 leaf+0x0"
 *     "   call                       401163 main+0xa3 (/opt/demo) =>           401260 leaf+0x0 (/opt/demo)"
 *
 * Whatever looks otherwise, in any way, is for the tolerant parser (perf-line.ts), which says the same of these.
 */
import { NO_FILE, TEXT_BYTES, TEXT_LENGTH, TEXT_OFFSET } from './layout';
import { Column, zeroed } from './memory';
import { lengthOf, TextTable, UNKNOWN } from './text-table';

const TAB: u8 = 9;
const NEWLINE: u8 = 10;
const BLANK: u8 = 32;
const OPEN: u8 = 40;
const CLOSE: u8 = 41;
const ARROW: u32 = 0x203e3d20; // " => ", the first byte lowest
const ARROW_LENGTH: usize = 4;
/** What perf prints behind a target: " ilen:", " insn:". */
const ILEN: u32 = 0x656c6920;
const INSN: u32 = 0x736e6920;
const PLUS_0X: u32 = 0x78302b; // "+0x"
const LONGEST_BRANCH: usize = 16 * 1024;
const MOST_DIGITS: usize = 16;
/** Beyond it, below and above zero, numbers are not exact. */
const MOST_ADDRESS: i64 = (1 << 53) - 1;
/** perf computes offsets modulo 2^64 where the address lies beyond the symbol: large ones are not meant. */
const MOST_OFFSET_DIGITS: usize = 6;
/** In a name that does not begin with a letter of ASCII something else may be meant. */
/** Of "[unknown]", behind which a file may stand. */
const NAMELESS_END: u8 = 93;
/** Tables keep no shorter texts; it stands there with a bracket behind it. */
const LEAST_FILE: u32 = 3;
const CANNOT_KEEP: i32 = -2;
const FIRST_LETTER: u8 = 33;
const LAST_LETTER: u8 = 126;

/** One end of the branch that was read last. */
@unmanaged
class End {
  address: f64 = 0;
  /** Where its function begins. */
  start: f64 = 0;
  /** Its function's name, with the "+0x" behind it. */
  name: usize = 0;
  nameLength: u32 = 0;
  /** The file it is in, without brackets; no length: it was not printed. */
  file: usize = 0;
  fileLength: u32 = 0;
}

export const from = changetype<End>(zeroed(offsetof<End>()));
export const to = changetype<End>(zeroed(offsetof<End>()));
/** What its flags mean, as it was told; where the text of its target begins, and where the next line does. */
export let flags: u32 = 0;
export let targetAt: usize = 0;
export let lineEnd: usize = 0;

/** Words of flags with the two blanks behind them. */
const flagWords = TextTable.make();
/** Names of functions, and by their numbers where they stand among the table's entries. */
const names = TextTable.make();
export const symbols = Column.make();
/** The same of files. */
const fileNames = TextTable.make();
export const files = Column.make();

/** At least one letter and two blanks, all of it in memory from `at` on. */
export function addFlagWords(at: usize, length: u32, meaning: u32): void {
  flagWords.add(at, length, wordHash(at), meaning);
}

/** Reads what stands behind a line's time; false: it looks otherwise. */
export function readBranch(rest: usize): bool {
  if (!findArrow(rest)) return false;
  const flagsAt = behindBlanks(rest);
  const words = flagWords.find(flagsAt, wordHash(flagsAt));
  if (words === UNKNOWN) return false;
  flags = flagWords.entryOf(words).value;
  const fromAt = behindBlanks(flagsAt + lengthOf(words));
  return readEnd(from, fromAt, targetAt - ARROW_LENGTH) && readEnd(to, behindBlanks(targetAt), lineEnd - 1);
}

/** The number of an end's function; CANNOT_KEEP: another name begins like it. */
export function symbolOf(end: End): i32 {
  return numberOf(names, symbols, end.name, end.nameLength, end.nameLength - 3);
}

/** The number of an end's file, likewise; NO_FILE: none was printed. */
export function fileOf(end: End): i32 {
  if (end.fileLength === 0) return NO_FILE;
  return numberOf(fileNames, files, end.file, end.fileLength + 1, end.fileLength); // with the bracket behind it
}

/** Of a text in a table, whose texts `places` has by their numbers, up to `kept` bytes of each. */
function numberOf(table: TextTable, places: Column, at: usize, length: u32, kept: u32): i32 {
  const hash = nameHash(at, length);
  const known = table.find(at, hash);
  if (known !== UNKNOWN) return lengthOf(known) === length ? table.entryOf(known).value : CANNOT_KEEP;
  const number = <u32>(places.used / TEXT_BYTES);
  if (!table.add(at, length, hash, number)) return CANNOT_KEEP;
  const place = places.extend(TEXT_BYTES);
  store<u32>(place, table.textOf(table.find(at, hash)), TEXT_OFFSET);
  store<u32>(place, kept, TEXT_LENGTH);
  return number;
}

/** Where the tables' entries stand now. */
export function namesStart(): usize {
  return names.entries.start;
}

export function fileNamesStart(): usize {
  return fileNames.entries.start;
}

/** The only arrow, and the line's end; false where the parts of a line may mean something else. */
function findArrow(rest: usize): bool {
  targetAt = 0;
  let at = rest;
  for (let byte = load<u8>(at); byte !== NEWLINE; byte = load<u8>(++at)) {
    if (byte === TAB) return false;
    if (byte !== BLANK) continue;
    const word = load<u32>(at);
    if (word === ILEN || word === INSN) return false;
    if (word !== ARROW) continue;
    if (targetAt !== 0) return false;
    targetAt = at + ARROW_LENGTH;
  }
  lineEnd = at + 1;
  return targetAt !== 0 && lineEnd - rest <= LONGEST_BRANCH;
}

function behindBlanks(at: usize): usize {
  let end = at;
  while (load<u8>(end) === BLANK) end++;
  return end;
}

/** `401163 main+0xa3`, perhaps with ` (/opt/demo)` behind it, all of it up to `limit`. */
function readEnd(end: End, at: usize, limit: usize): bool {
  end.fileLength = 0;
  if (load<u8>(limit - 1) !== CLOSE) return readLocation(end, at, limit);
  const open = fileBegins(at, limit);
  if (open === 0) return false;
  end.file = open + 1;
  end.fileLength = <u32>(limit - 2 - open);
  return end.fileLength >= LEAST_FILE && readLocation(end, at, open - 1);
}

/** The bracket of the last ` (` behind an offset; 0: there is none. A file with an offset of its own is not usual. */
function fileBegins(at: usize, limit: usize): usize {
  let digits = limit - 1;
  while (hexDigit(digits - 1) >= 0) digits--;
  if (digits < limit - 1 && (load<u32>(digits - 3) & 0xffffff) === PLUS_0X) return 0;
  for (let open = limit - 2; open > at + 4; open--) {
    if (load<u8>(open) !== OPEN || load<u8>(open - 1) !== BLANK) continue;
    digits = open - 1;
    while (hexDigit(digits - 1) >= 0) digits--;
    if (digits < open - 1 && (load<u32>(digits - 3) & 0xffffff) === PLUS_0X) return open;
    if (load<u8>(digits - 1) === NAMELESS_END) return 0;
  }
  return 0;
}

/** `401163 main+0xa3`, all of it up to `limit`. */
function readLocation(end: End, at: usize, limit: usize): bool {
  let blank = at;
  let address: u64 = 0;
  for (let digit = hexDigit(blank); digit >= 0; digit = hexDigit(++blank)) address = (address << 4) | digit;
  if (blank === at || blank - at > MOST_DIGITS || load<u8>(blank) !== BLANK) return false;
  let digits = limit;
  while (hexDigit(digits - 1) >= 0) digits--;
  const name = blank + 1;
  const plus = digits - 3;
  if (digits === limit || limit - digits > MOST_OFFSET_DIGITS || plus <= name || digits < blank) return false;
  const letter = load<u8>(name);
  if ((load<u32>(plus) & 0xffffff) !== PLUS_0X || letter < FIRST_LETTER || letter > LAST_LETTER) return false;
  let offset: u32 = 0;
  for (let digit = digits; digit < limit; digit++) offset = (offset << 4) | hexDigit(digit);
  const signed = <i64>address; // the upper half of the address space is negative
  if (signed > MOST_ADDRESS || signed < -MOST_ADDRESS) return false; // the tolerant parser says what is wrong
  end.address = <f64>signed;
  end.start = end.address - <f64>offset;
  end.name = name;
  end.nameLength = <u32>(digits - name);
  return true;
}

/** -1: it is none, as perf prints them. */
function hexDigit(at: usize): i32 {
  const byte = <i32>load<u8>(at);
  if (byte >= 48 && byte <= 57) return byte - 48;
  return byte >= 97 && byte <= 102 ? byte - 87 : -1;
}

function wordHash(at: usize): u32 {
  const hash = load<u32>(at) * 0x9e3779b1;
  return hash ^ (hash >> 15);
}

function nameHash(at: usize, length: u32): u32 {
  let hash: u32 = 0x811c9dc5;
  for (let byte = at, end = at + length; byte < end; byte++) hash = (hash ^ load<u8>(byte)) * 0x01000193;
  return hash ^ (hash >> 15);
}
