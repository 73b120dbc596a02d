/**
 * Says for each call path which function of the program it is in, and what that function called to wait or to wake.
 */
import { isStop } from '../../analysis/tree/outside.js';
import type { Shape } from '../../model/calls/overlay.js';
import type { SymbolTable } from '../../model/symbol-table.js';
import { NONE, type SymbolId } from '../../model/units.js';
import { Reason, reasonByNames } from '../../waits/reason.js';

/** By node of the paths. */
export interface Places {
  /** The innermost function that is not of a system library; without one, the function on top; NONE: no function. */
  readonly symbol: Int32Array;
  /** The function of a system library that it called; NONE: none. */
  readonly call: Int32Array;
  /** By the names of these functions: Reason. */
  readonly reason: Uint8Array;
  /** Equal where `symbol` and `call` are; 0: neither is known. */
  readonly number: Int32Array;
}

/** The C and C++ libraries, the loader, and the kernel, where functions wait for others and wake them. */
const SYSTEM_LIBRARY = /(^|\/)(libc|libpthread|librt|libstdc\+\+|libc\+\+|libgcc_s|ld)(-[\w.-]*)?\.so|^\[(vdso|kernel)/;

/**
 * Functions of glibc that texts without file names show: exported with a version, internal under another name, and what
 * makes futex calls. Other internal functions are known by their reason.
 */
const GLIBC_NAME = /@GLIBC(XX)?_|^__GI_|^_*(do_)?(futex|lll)_|^syscall$/;

export function placesOf({ length, parent, symbol }: Shape, symbols: SymbolTable): Places {
  const kinds = new SymbolKinds(symbols);
  const place = new Int32Array(length).fill(NONE);
  const call = new Int32Array(length).fill(NONE);
  const reason = new Uint8Array(length);
  const isOfProgram = new Uint8Array(length); // what `place` is
  for (let node = 1; node < length; node++) {
    const own = symbol[node];
    const below = parent[node];
    const isCall = kinds.isSystemCall(own);
    if (!isStop(own) && !isCall) {
      place[node] = own;
      isOfProgram[node] = 1;
    } else {
      isOfProgram[node] = isOfProgram[below];
      place[node] = isStop(own) || isOfProgram[below] ? place[below] : own;
      call[node] = isCall && isOfProgram[below] && call[below] === NONE ? own : call[below];
      reason[node] = kinds.reasonOf(own) || reason[below];
    }
  }
  return { symbol: place, call, reason, number: pairNumbers(place, call) };
}

/** Numbers different pairs. */
function pairNumbers(symbol: Int32Array, call: Int32Array): Int32Array {
  const numbers = new Map([[keyOf(NONE, NONE), 0]]);
  return symbol.map((own, node) => {
    const key = keyOf(own, call[node]);
    const number = numbers.get(key) ?? numbers.size;
    numbers.set(key, number);
    return number;
  });
}

/** Different for each pair: there are far fewer than 2^26 symbols. */
function keyOf(symbol: SymbolId, call: SymbolId): number {
  return symbol * 2 ** 26 + call;
}

/** Names are compared once for each symbol. */
class SymbolKinds {
  private readonly reasons = new Map<SymbolId, Reason>();
  private readonly systemCalls = new Map<SymbolId, boolean>();
  private readonly systemFiles: readonly boolean[];

  constructor(private readonly symbols: SymbolTable) {
    this.systemFiles = symbols.dsoName.map((name) => SYSTEM_LIBRARY.test(name));
  }

  /** Of a system library; in programs that contain one, and without file names, by its name. */
  isSystemCall(symbol: SymbolId): boolean {
    if (isStop(symbol)) return false;
    if (this.systemFiles[this.symbols.dso[symbol]]) return true;
    return memoized(this.systemCalls, symbol, () => this.hasSystemName(symbol));
  }

  reasonOf(symbol: SymbolId): Reason {
    return memoized(this.reasons, symbol, () => reasonByNames([this.symbols.name[symbol]]));
  }

  private hasSystemName(symbol: SymbolId): boolean {
    const name = this.symbols.name[symbol];
    if (GLIBC_NAME.test(name)) return true;
    return !name.includes('::') && this.reasonOf(symbol) !== Reason.Unknown;
  }
}

function memoized<Value>(known: Map<SymbolId, Value>, symbol: SymbolId, make: () => Value): Value {
  const found = known.get(symbol);
  if (found !== undefined) return found;
  const made = make();
  known.set(symbol, made);
  return made;
}
