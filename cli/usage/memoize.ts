/**
 * Postpones what only some runs need: to build the schemas of all commands takes as long as to read a small trace.
 */

/** Returns a function that makes a value when it is first called. */
export function memoize<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
