/**
 * What need not be on every host, but on one of them.
 */
import { PtflameError } from '../../../model/errors.js';

export class FoundOnSome {
  private readonly found = new Set<string>();
  private readonly errors = new Map<string, PtflameError>();

  /** Returns null instead of throwing that it is missing. `what`: the same for all hosts. */
  find<Value>(what: string, find: () => Value): Value | null {
    try {
      const value = find();
      this.found.add(what);
      return value;
    } catch (error) {
      if (!(error instanceof PtflameError) || !MISSING.has(error.code)) throw error;
      if (!this.errors.has(what)) this.errors.set(what, error);
      return null;
    }
  }

  /** @throws PtflameError the first error about something that was not found on any host */
  requireAll(): void {
    for (const [what, error] of this.errors) if (!this.found.has(what)) throw error;
  }
}

const MISSING: ReadonlySet<string> = new Set(['NO_SUCH_FUNCTION', 'NOT_RECORDED']);
