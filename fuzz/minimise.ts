/**
 * A case that fails in, the smallest part of its text that fails in the same way out.
 */
import type { AnyCase } from './kind.js';

const LONGEST_SEARCH_MS = 30_000;

/** Why a case fails, without the numbers in it; null if it does not. */
export async function failureOf<Case extends AnyCase>(
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

/** First lines, then the bytes of those that are left: ever smaller stretches are left out where that changes nothing. */
export async function minimised<Case extends AnyCase>(
  fuzzCase: Case,
  why: (fuzzCase: Case) => Promise<string | null>,
): Promise<Buffer> {
  const failure = await why(fuzzCase);
  const untilMs = performance.now() + LONGEST_SEARCH_MS;
  const fails = async (text: string) =>
    performance.now() < untilMs && (await why({ ...fuzzCase, bytes: Buffer.from(text, 'latin1') })) === failure;
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
