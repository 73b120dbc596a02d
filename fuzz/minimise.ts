/**
 * Minimises a failing case to the smallest part of its text that fails in the same way.
 */
import type { AnyCase } from './kind.js';

const MAX_SEARCH_MS = 30_000;

/** Returns why a case fails, without the numbers in the message; null if it passes. */
export async function failureReason<Case extends AnyCase>(
  fuzzCase: Case,
  check: (fuzzCase: Case) => Promise<unknown>,
): Promise<string | null> {
  try {
    await check(fuzzCase);
    return null;
  } catch (error) {
    return reasonOf(error);
  }
}

/** Removes ever smaller ranges, first of lines, then of the remaining bytes, as long as the failure stays the same. */
export async function minimised<Case extends AnyCase>(
  fuzzCase: Case,
  failure: (fuzzCase: Case) => Promise<string | null>,
): Promise<Buffer> {
  const expected = await failure(fuzzCase);
  const untilMs = performance.now() + MAX_SEARCH_MS;
  const fails = async (text: string) =>
    performance.now() < untilMs && (await failure({ ...fuzzCase, bytes: Buffer.from(text, 'latin1') })) === expected;
  const text = fuzzCase.bytes.toString('latin1');
  const lines = await smallest(text.split(/(?<=\n)/), fails);
  return Buffer.from((await smallest([...lines.join('')], fails)).join(''), 'latin1');
}

async function smallest(parts: readonly string[], fails: (text: string) => Promise<boolean>) {
  let kept = parts;
  for (let size = Math.ceil(kept.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let start = 0; start < kept.length; ) {
      const fewer = kept.toSpliced(start, size);
      if (await fails(fewer.join(''))) kept = fewer;
      else start += size;
    }
  return kept;
}

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return (message.split('\n')[0] as string).replace(/\d+|".*/g, '#');
}
