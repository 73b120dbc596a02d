/**
 * Lists by key.
 */

/** Adds a value to the list of a key. */
export function appendTo<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const own = lists.get(key);
  if (own === undefined) lists.set(key, [value]);
  else own.push(value);
}

/** Groups values by key; keys in the order in which they occur first. */
export function groupBy<Key, Value>(values: Iterable<Value>, keyOf: (value: Value) => Key): Map<Key, Value[]> {
  const groups = new Map<Key, Value[]>();
  for (const value of values) appendTo(groups, keyOf(value), value);
  return groups;
}
