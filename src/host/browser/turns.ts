/**
 * Long work in browsers: the page ends the worker when it takes too long.
 */

/** A message is handled sooner than a timer, which browsers delay. */
export function nextTurn(): Promise<void> {
  return new Promise((done) => {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener('message', () => {
      port1.close();
      done();
    });
    port1.start();
    port2.postMessage(null);
  });
}

export async function interruptible<Result>(work: () => Result): Promise<Result> {
  return work();
}

export function interruptibleNow<Result>(work: () => Result): Result {
  return work();
}

/** Time is checked between two texts. */
export function matchesInTime(
  pattern: RegExp,
  texts: readonly string[],
  maxMs: number,
): readonly (readonly (string | undefined)[] | null)[] | null {
  const endMs = performance.now() + maxMs;
  const found: (RegExpExecArray | null)[] = [];
  for (const text of texts) {
    if (performance.now() > endMs) return null;
    found.push(pattern.exec(text));
  }
  return found;
}
