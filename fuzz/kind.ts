/**
 * A kind of input that is fuzzed: what makes its cases, and what checks one.
 */

export interface AnyCase {
  readonly number: number;
  readonly bytes: Buffer;
  /** How it was made, in order. */
  readonly story: readonly string[];
}

export interface Kind<Case extends AnyCase = AnyCase> {
  /** The same number is the same case every time. */
  make(number: number): Case | Promise<Case>;
  /** What it takes from the budget of a run: lines of a trace, 1 for a file. */
  sizeOf(fuzzCase: Case): number;
  /** Throws where a promise is broken. Gives the time that the parser alone took, for those that have one. */
  check(fuzzCase: Case): Promise<{ readonly parserMs: number }>;
  /** A case that fails is made smaller: worth it where the bytes are text. */
  readonly isText: boolean;
}

/** A case that broke a promise. */
export interface Find {
  readonly number: number;
  readonly story: readonly string[];
  readonly base64: string;
  readonly why: string;
}

export function findOf({ number, bytes, story }: AnyCase, why: string): Find {
  return { number, story, base64: bytes.toString('base64'), why };
}
