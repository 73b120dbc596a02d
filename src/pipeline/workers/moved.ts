/**
 * Hands the result of a task to the main thread with its memory, instead of as a copy.
 */

/** Returns what a task must return so that the memory of `part`, which is part of the result, moves along with it. */
export async function moved<Result extends object>(result: Result, part: object): Promise<Result> {
  const { move, Piscina } = await import('piscina');
  const buffers = [...buffersIn(part)].filter(({ byteLength }) => byteLength > 0);
  // the pool takes it apart again
  return move({ [Piscina.transferableSymbol]: buffers, [Piscina.valueSymbol]: result } as never) as unknown as Result;
}

function buffersIn(value: unknown, found = new Set<ArrayBuffer>()): Set<ArrayBuffer> {
  if (ArrayBuffer.isView(value)) {
    if (value.buffer instanceof ArrayBuffer) found.add(value.buffer);
  } else if (typeof value === 'object' && value !== null)
    for (const part of Object.values(value)) buffersIn(part, found);
  return found;
}
