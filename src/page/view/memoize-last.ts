/**
 * Caches computed values.
 */

/** Caches the last result of a function until something else is asked for. `asked`: JSON values that decide the result. */
export function memoizeLast<Arguments extends readonly unknown[], Value>(compute: (...args: Arguments) => Value) {
  let last: { readonly key: string; readonly value: Value } | null = null;
  return (asked: unknown, ...args: Arguments): Value => {
    const key = JSON.stringify(asked);
    if (last?.key !== key) last = { key, value: compute(...args) };
    return last.value;
  };
}

/** Computes a value on first use. */
export function once<Value>(compute: () => Value): () => Value {
  let value: { readonly of: Value } | null = null;
  return () => {
    value ??= { of: compute() };
    return value.of;
  };
}
