/**
 * The operators: two letters, how they are written, and how many operands they have.
 */
import type { Operator } from './nodes.js';

/** Those that binutils knows: no `typeid`. `~` is a space between a word and its operand. */
const TABLE = `aN &= 2|aS = 2|aa && 2|ad & 1|an & 2|at alignof~ 1|aw co_await~ 1|az alignof~ 1|cc const_cast 2|cl () 2|cm , 2|co ~ 1
|dV /= 2|dX [...]= 3|da delete[]~ 1|dc dynamic_cast 2|de * 1|di = 2|dl delete~ 1|ds .* 2|dt . 2|dv / 2|dx ]= 2|eO ^= 2|eo ^ 2
|eq == 2|fL ... 3|fR ... 3|fl ... 2|fr ... 2|ge >= 2|gs :: 1|gt > 2|ix [] 2|lS <<= 2|le <= 2|li operator""~ 1|ls << 2|lt < 2
|mI -= 2|mL *= 2|mi - 2|ml * 2|mm -- 1|na new[]~ 3|ne != 2|ng - 1|nt ! 1|nw new 3|oR |= 2|oo || 2|or | 2|pL += 2
|pl + 2|pm ->* 2|pp ++ 1|ps + 1|pt -> 2|qu ? 3|rM %= 2|rS >>= 2|rc reinterpret_cast 2|rm % 2|rs >> 2|sP sizeof... 1|sZ sizeof... 1
|sc static_cast 2|ss <=> 2|st sizeof~ 1|sz sizeof~ 1|tr throw 0|tw throw~ 1`;

const OPERATORS = new Map<string, { readonly operator: Operator; readonly operands: number }>();
for (const [, code = '', symbol = '', operands] of TABLE.matchAll(/([a-z][a-zA-Z]) (\S+) (\d)/g))
  OPERATORS.set(code, {
    operator: { kind: 'operator', code, symbol: symbol.length > 1 ? symbol.replace(/~$/, ' ') : symbol },
    operands: Number(operands),
  });

export function operatorOf(code: string): { readonly operator: Operator; readonly operands: number } | undefined {
  return OPERATORS.get(code);
}
