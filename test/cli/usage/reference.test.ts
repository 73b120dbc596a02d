/**
 * The reference in docs/cli.md matches the commands. `BLESS=1` rewrites it.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { PROGRAM } from '../../../cli/program.js';
import { loadCommands } from '../../../cli/usage/command.js';
import { reference } from '../../../cli/usage/reference.js';

const PAGE = new URL('../../../docs/cli.md', import.meta.url);
const MARK = '<!-- What follows is generated from cli/program.ts and cli/commands: npm run bless -->\n\n';

test('docs/cli.md matches the commands', async () => {
  const page = await readFile(PAGE, 'utf8');
  const [handWritten] = page.split(MARK);
  const wanted = `${handWritten}${MARK}${reference(PROGRAM, await loadCommands(PROGRAM.commands))}`;
  if (process.env['BLESS']) await writeFile(PAGE, wanted);
  else expect(page).toBe(wanted);
});
