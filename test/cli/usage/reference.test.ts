/**
 * docs/cli.md tells what the commands are declared to be. `BLESS=1` writes it anew.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { PROGRAM } from '../../../cli/commands.js';
import { reference } from '../../../cli/usage/reference.js';

const PAGE = new URL('../../../docs/cli.md', import.meta.url);
const MARK = '<!-- What follows is generated from cli/commands.ts and cli/options: npm run bless -->\n\n';

test('the reference in docs/cli.md is that of the commands', async () => {
  const page = await readFile(PAGE, 'utf8');
  const [byHand] = page.split(MARK);
  const wanted = `${byHand}${MARK}${reference(PROGRAM)}`;
  if (process.env['BLESS']) await writeFile(PAGE, wanted);
  else expect(page).toBe(wanted);
});
