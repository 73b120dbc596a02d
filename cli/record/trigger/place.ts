/**
 * Finds where in a running process the function of a trigger begins and ends.
 */
import { readFileSync } from 'node:fs';
import { PtflameError } from '../../../src/model/errors.js';
import { functionExits } from '../../../src/pipeline/decode/function-exits.js';
import { similarNames } from '../../../src/render/similar-names.js';
import { visibleText } from '../../../src/render/visible-text.js';
import { type BinaryFunction, type BinaryNames, readNames } from '../../../src/symbols/functions.js';
import { DISK_FILES } from '../../../src/symbols/symbol-files.js';

/** A function in a file, as a process maps it. */
export interface Place {
  readonly name: string;
  /** Where this process sees the file: /proc/PID/root/usr/bin/server. */
  readonly file: string;
  /** Offsets in the file. */
  readonly entry: number;
  readonly exits: readonly number[];
  /** Other functions that it ends by jumping to: calls that end so are not seen. */
  readonly jumpsTo: readonly string[];
  /** Returns the address in the process of an offset in the file. */
  readonly addressOf: (offset: number) => number;
}

interface MappedCode {
  readonly path: string;
  readonly start: number;
  readonly length: number;
  readonly offset: number;
}

/** "55ba11b17000-55ba11b18000 r-xp 00001000 fe:01 1234   /usr/bin/server". */
const LINE = /^([0-9a-f]+)-([0-9a-f]+) ..x. ([0-9a-f]+) \S+ [1-9]\d*\s+(\/.*)$/gm;

/** Files that a process runs code of, its program first. */
export function mappedCode(maps: string): MappedCode[] {
  return Array.from(maps.matchAll(LINE), ([, from = '', to = '', offset = '', path = '']) => {
    const start = Number.parseInt(from, 16);
    return { path, start, length: Number.parseInt(to, 16) - start, offset: Number.parseInt(offset, 16) };
  });
}

/** `wanted`: a name of C, or of C++ or Rust, mangled or the end of it. @throws PtflameError NO_SUCH_TARGET */
export function findPlace(pid: number, wanted: string): Place {
  const code = mappedCode(readMaps(pid));
  const seen: { readonly path: string; readonly names: BinaryNames }[] = [];
  for (const path of new Set(code.map((each) => each.path))) {
    const file = `/proc/${pid}/root${path}`; // of its own mount namespace
    const names = readNames(file, DISK_FILES, { root: '', cache: null });
    if (names === null) continue;
    const functions = names.named(wanted);
    if (functions.length > 0)
      return placeOf(
        wanted,
        file,
        functions,
        names,
        code.filter((each) => each.path === path),
      );
    seen.push({ path, names });
  }
  const similar = similarNames(
    wanted,
    seen.flatMap(({ names }) => names.names()),
  );
  throw new PtflameError('NO_SUCH_TARGET', `--trigger: process ${pid} has no function ${wanted}`, {
    hint:
      similar.length > 0
        ? `did you mean ${similar.join(', ')}? If it is inlined, take a function that calls it`
        : `if it is inlined, take a function that calls it; list its functions: nm -C /proc/${pid}/exe`,
  });
}

function readMaps(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/maps`, 'latin1');
  } catch (cause) {
    throw new PtflameError('NO_PERMISSION', `cannot read /proc/${pid}/maps`, {
      hint: 'use sudo for processes of other users',
      cause,
    });
  }
}

const MAX_LISTED = 10;

function placeOf(
  wanted: string,
  file: string,
  functions: readonly BinaryFunction[],
  names: BinaryNames,
  code: readonly MappedCode[],
): Place {
  const refuse = (message: string, hint: string, output?: readonly string[]) =>
    new PtflameError('NO_SUCH_TARGET', `--trigger: ${message}`, { hint, output });
  const [found, second] = functions;
  if (found === undefined || second !== undefined)
    throw refuse(
      `${functions.length} functions are ${wanted}`,
      'choose one of these, by more of its name or by its symbol:',
      functions
        .slice(0, MAX_LISTED)
        .map(({ name, symbol }) => visibleText(name === symbol ? name : `${name} (${symbol})`)),
    );
  if (names.isGo) throw refuse(`${wanted} is a function of Go, whose stacks move`, 'trigger by a function of C or C++');
  const exits = functionExits(file, [found, ...names.coldPartsOf(found.symbol)], DISK_FILES);
  if (exits === null) throw refuse(`the code of ${wanted} cannot be read`, `take a function that calls ${wanted}`);
  return {
    name: found.name,
    file,
    entry: found.start,
    exits: exits.returns,
    jumpsTo: [...new Set(exits.jumpTargets)].map((at) => names.nameAt(at) ?? `0x${at.toString(16)}`),
    addressOf: (offset) => {
      const mapping = code.find((each) => offset >= each.offset && offset < each.offset + each.length);
      if (mapping === undefined) throw refuse(`${wanted} is not mapped as code`, 'is the program still starting?');
      return mapping.start + offset - mapping.offset;
    },
  };
}
