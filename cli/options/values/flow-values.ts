/**
 * Parses flows of work of the command line.
 */
import * as z from 'zod';

/** "queue_push:job=run_job:job": events, each with the argument that identifies the work, if any. */
function parseFlow(text: string): { readonly push: string; readonly pop: string } | null {
  const [push = '', pop = '', ...more] = text.split('=').map((part) => part.trim());
  return push === '' || pop === '' || more.length > 0 ? null : { push, pop };
}

export const flows = z.array(z.coerce.string()).transform((texts, context) => {
  const found = texts.map(parseFlow).filter((flow) => flow !== null);
  if (found.length === texts.length) return found;
  context.addIssue({ code: 'custom', message: 'must be PUSH:KEY=POP:KEY, such as queue_push:job=run_job:job' });
  return z.NEVER;
});
