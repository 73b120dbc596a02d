/**
 * What is worked out once.
 */

/** The last answer of a function, for as long as it is asked the same. */
export function memoizeLast<Arguments extends readonly unknown[], Value>(compute: (...args: Arguments) => Value) {
  let last: { readonly key: string; readonly value: Value } | null = null;
  return (key: string, ...args: Arguments): Value => {
    if (last?.key !== key) last = { key, value: compute(...args) };
    return last.value;
  };
}

/** The answer, worked out when it is first asked for. */
export function once<Value>(compute: () => Value): () => Value {
  let value: { readonly of: Value } | null = null;
  return () => {
    value ??= { of: compute() };
    return value.of;
  };
}
