/**
 * Parses a branch in its usual form: flags, and two addresses with their functions and offsets.
 *
 *     "   call                       401163 main+0xa3 =>           401260 leaf+0x0"
 *     "   call                       401163 main+0xa3 (/opt/demo) =>           401260 leaf+0x0 (/opt/demo)"
 *
 * Any other form is left to the reference parser (perf-line.ts), which parses this one to the same result.
 */
import {
  NO_FILE,
  SHARED_FILE_NAMES,
  SHARED_FILES,
  SHARED_FLAG_WORDS,
  SHARED_NAMES,
  SHARED_SYMBOLS,
  TEXT_ADDRESS,
  TEXT_BYTES,
  TEXT_LENGTH,
} from './layout';
import { GrowingBuffer, zeroed } from './memory';
import { entryOf, lengthOf, TextTable, textOf, UNKNOWN } from './text-table';

const TAB: u8 = 9;
const BLANK: u8 = 32;
const OPEN: u8 = 40;
const CLOSE: u8 = 41;
const ARROW: u32 = 0x203e3d20; // " => ", the first byte lowest
const ARROW_LENGTH: usize = 4;
/** What perf may print after a target: " ilen:", " insn:". */
const ILEN: u32 = 0x656c6920;
const INSN: u32 = 0x736e6920;
const PLUS_0X: u32 = 0x78302b; // "+0x"
const MAX_BRANCH: usize = 16 * 1024;
const MAX_DIGITS: usize = 16;
/** Largest absolute value that a float64 holds exactly. */
const MAX_ADDRESS: i64 = (1 << 53) - 1;
/** If the address is outside the symbol, perf's offset wraps around modulo 2^64: large ones are not real. */
const MAX_OFFSET_DIGITS: usize = 6;
/** The end of "[unknown]", which a file may follow. */
const NAMELESS_END: u8 = 93;
/** Tables keep no texts below 4 bytes, and a file is kept with its bracket. */
const MIN_FILE: u32 = 3;
/** The table is full, or a text in it is a prefix of this one. */
const CANNOT_KEEP: i32 = -2;
/** A name that does not begin with a printable ASCII character may be something else. */
const FIRST_LETTER: u8 = 33;
const LAST_LETTER: u8 = 126;

/** One end of the branch read last. */
@unmanaged
class End {
  address: f64 = 0;
  /** Start of its function. */
  start: f64 = 0;
  /** Its function's name, including the "+0x" after it. */
  name: usize = 0;
  nameLength: u32 = 0;
  /** Its file without brackets; length 0 if none was printed. */
  file: usize = 0;
  fileLength: u32 = 0;
}

export const from = changetype<End>(zeroed(offsetof<End>()));
export const to = changetype<End>(zeroed(offsetof<End>()));
/** Its encoded flags, and the address of its target's text. */
export let flags: u32 = 0;
let targetAt: usize = 0;

/** Flag words, each followed by two blanks. */
const flagWords = TextTable.shared(SHARED_FLAG_WORDS);
/** Names of functions, and by number their address and length. */
const names = TextTable.shared(SHARED_NAMES);
const symbols = GrowingBuffer.shared(SHARED_SYMBOLS);
/** Likewise for files. */
const fileNames = TextTable.shared(SHARED_FILE_NAMES);
const files = GrowingBuffer.shared(SHARED_FILES);

/** Adds flag words: at least one letter and two blanks, at address `at`. The caller holds the lock. */
export function addFlagWords(at: usize, length: u32, meaning: u32): void {
  flagWords.add(at, length, wordHash(at), meaning);
}

/** Parses the text after a line's time, up to its newline. Returns false if it has another form. */
export function readBranch(rest: usize, newline: usize): bool {
  if (!findArrow(rest, newline)) return false;
  const flagsAt = skipBlanks(rest);
  const words = flagWords.find(flagsAt, wordHash(flagsAt));
  if (words === UNKNOWN) return false;
  flags = entryOf(words).value;
  const fromAt = skipBlanks(flagsAt + lengthOf(words));
  return readEnd(from, fromAt, targetAt - ARROW_LENGTH) && readEnd(to, skipBlanks(targetAt), newline);
}

/** Returns the number of an end's function, or CANNOT_KEEP. The caller holds the lock. */
export function symbolOf(end: End): i32 {
  return numberOf(names, symbols, end.name, end.nameLength, end.nameLength - 3);
}

/** Likewise for an end's file; NO_FILE if none was printed. */
export function fileOf(end: End): i32 {
  if (end.fileLength === 0) return NO_FILE;
  return numberOf(fileNames, files, end.file, end.fileLength + 1, end.fileLength); // with the bracket after it
}

/** Returns the number of a text in a table, adding it if it is new; `spans` gets its first `kept` bytes. */
function numberOf(table: TextTable, spans: GrowingBuffer, at: usize, length: u32, kept: u32): i32 {
  const hash = nameHash(at, length);
  const known = table.find(at, hash);
  if (known !== UNKNOWN) return lengthOf(known) === length ? entryOf(known).value : CANNOT_KEEP;
  const number = <u32>(spans.used / TEXT_BYTES);
  if (!table.add(at, length, hash, number)) return CANNOT_KEEP;
  const span = spans.extend(TEXT_BYTES);
  store<u32>(span, <u32>textOf(table.find(at, hash)), TEXT_ADDRESS);
  store<u32>(span, kept, TEXT_LENGTH);
  return number;
}

/** Finds the only arrow. Returns false if the line may mean something else. */
function findArrow(rest: usize, newline: usize): bool {
  targetAt = 0;
  for (let at = rest; at < newline; at++) {
    const byte = load<u8>(at);
    if (byte === TAB) return false;
    if (byte !== BLANK) continue;
    const word = load<u32>(at);
    if (word === ILEN || word === INSN) return false;
    if (word !== ARROW) continue;
    if (targetAt !== 0) return false;
    targetAt = at + ARROW_LENGTH;
  }
  return targetAt !== 0 && newline - rest < MAX_BRANCH;
}

function skipBlanks(at: usize): usize {
  let end = at;
  while (load<u8>(end) === BLANK) end++;
  return end;
}

/** Parses `401163 main+0xa3`, perhaps followed by ` (/opt/demo)`, which must end at `limit`. */
function readEnd(end: End, at: usize, limit: usize): bool {
  end.fileLength = 0;
  if (load<u8>(limit - 1) !== CLOSE) return readLocation(end, at, limit);
  const open = fileBegins(at, limit);
  if (open === 0) return false;
  end.file = open + 1;
  end.fileLength = <u32>(limit - 2 - open);
  return end.fileLength >= MIN_FILE && readLocation(end, at, open - 1);
}

/**
 * Returns the bracket of the last ` (` after an offset, or 0. A file with an offset of its own is not the usual form.
 */
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

/** Parses `401163 main+0xa3`, which must end at `limit`. */
function readLocation(end: End, at: usize, limit: usize): bool {
  let blank = at;
  let address: u64 = 0;
  for (let digit = hexDigit(blank); digit >= 0; digit = hexDigit(++blank)) address = (address << 4) | digit;
  if (blank === at || blank - at > MAX_DIGITS || load<u8>(blank) !== BLANK) return false;
  let digits = limit;
  while (hexDigit(digits - 1) >= 0) digits--;
  const name = blank + 1;
  const plus = digits - 3;
  if (digits === limit || limit - digits > MAX_OFFSET_DIGITS || plus <= name || digits < blank) return false;
  const letter = load<u8>(name);
  if ((load<u32>(plus) & 0xffffff) !== PLUS_0X || letter < FIRST_LETTER || letter > LAST_LETTER) return false;
  let offset: u32 = 0;
  for (let digit = digits; digit < limit; digit++) offset = (offset << 4) | hexDigit(digit);
  const signed = <i64>address; // the upper half of the address space is negative
  if (signed > MAX_ADDRESS || signed < -MAX_ADDRESS) return false; // the reference parser reports it
  end.address = <f64>signed;
  end.start = end.address - <f64>offset;
  end.name = name;
  end.nameLength = <u32>(digits - name);
  return true;
}

/** Returns the value of a lower-case hex digit, or -1. */
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

/** Address and length of each symbol's name. */
export function symbolsStart(): usize {
  return symbols.start;
}

/** Likewise for files. */
export function filesStart(): usize {
  return files.start;
}
