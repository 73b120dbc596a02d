/**
 * The reference in docs/cli.md matches the commands. `BLESS=1` rewrites it.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { PROGRAM } from '../../../cli/program/program.js';
import { reference } from '../../../cli/usage/reference.js';

const PAGE = new URL('../../../docs/cli.md', import.meta.url);
const MARK = '<!-- What follows is generated from cli/program and cli/options: npm run bless -->\n\n';

test('docs/cli.md matches the commands', async () => {
  const page = await readFile(PAGE, 'utf8');
  const [handWritten] = page.split(MARK);
  const wanted = `${handWritten}${MARK}${reference(PROGRAM)}`;
  if (process.env['BLESS']) await writeFile(PAGE, wanted);
  else expect(page).toBe(wanted);
});
