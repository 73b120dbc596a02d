/**
 * Parses which input was recorded on which host.
 */
import * as z from 'zod';

/** "client.txt=web". */
function parseHost(text: string): { readonly input: string; readonly host: string } | null {
  const at = text.lastIndexOf('=');
  const [input, host] = [text.slice(0, Math.max(0, at)).trim(), text.slice(at + 1).trim()];
  return input === '' || host === '' ? null : { input, host };
}

export const hosts = z.array(z.coerce.string()).transform((texts, context) => {
  const found = texts.map(parseHost).filter((host) => host !== null);
  if (found.length === texts.length) return found;
  context.addIssue({ code: 'custom', message: 'must be INPUT=HOST, such as client.txt=web' });
  return z.NEVER;
});
