/**
 * The interface of a kind of fuzzed input: it makes cases and checks them.
 */

export interface AnyCase {
  readonly number: number;
  readonly bytes: Buffer;
  /** How it was made, step by step. */
  readonly steps: readonly string[];
}

export interface Kind<Case extends AnyCase = AnyCase> {
  /** The same number always makes the same case. */
  make(number: number): Case | Promise<Case>;
  /** How much of the run's amount it uses up: lines of a trace, 1 for a file. */
  sizeOf(fuzzCase: Case): number;
  /** Throws if the program breaks a promise. Returns the time that the parser alone took, if it ran alone. */
  check(fuzzCase: Case): Promise<{ readonly parserMs: number }>;
  /** Failing cases are minimised: worthwhile if the bytes are text. */
  readonly isText: boolean;
}

/** A case that broke a promise. */
export interface Failure {
  readonly number: number;
  readonly steps: readonly string[];
  readonly base64: string;
  readonly reason: string;
}

export function toFailure({ number, bytes, steps }: AnyCase, reason: string): Failure {
  return { number, steps, base64: bytes.toString('base64'), reason };
}
