/**
 * `ptflame page`: writes the offline page.
 */

import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { PtflameError } from '../../src/model/errors.js';
import { shellWords } from '../../src/render/visible-text.js';
import { hostedFiles } from '../../src/web/hosted.js';
import { general } from '../options/shared.js';
import { path } from '../options/values.js';
import { makeFolder } from '../output/folders.js';
import { refuseOtherName } from '../output/formats.js';
import { OFFLINE_PAGE } from '../output/offline-page.js';
import { openOutput, writeAll } from '../output/outputs.js';
import { isStandardOutput, isTerminal } from '../output/write-chunks.js';
import { notify } from '../terminal/notify.js';
import { defineCommand } from '../usage/define-command.js';
import { flag, group } from '../usage/flag.js';

/** The options of `ptflame page`. */
const PageOptions = z.object({
  ...group('Output', {
    output: flag(path.optional(), 'where to write the page; - is standard output', {
      alias: 'o',
      value: 'FILE',
      common: 'where to write the page',
    }),
    to: flag(path.optional(), 'write the files of a hosted copy to this folder instead: see docs/browser-page.md', {
      value: 'FOLDER',
      common: 'write the files of a hosted copy to this folder',
    }),
  }),
  ...general(),
});
type PageOptions = z.infer<typeof PageOptions>;

export const command = defineCommand({
  details:
    'The page decodes what is dropped on it: a recording, a pack, text of perf script, an imported trace or a profile. It needs a browser, and neither a network nor an installation.',
  examples: [
    ['ptflame page -o ptflame.html', 'send it to whoever is to look at recordings'],
    ['ptflame page --to public', 'make a copy for a host of static files'],
  ],
  schema: PageOptions,
  run: writePage,
});

async function writePage({ output, to, quiet }: PageOptions): Promise<void> {
  if ((output === undefined) === (to === undefined))
    throw new PtflameError('BAD_OPTION', 'page writes a file or a folder', {
      hint: 'name one of them: -o ptflame.html, or --to FOLDER for a hosted copy',
    });
  if (output !== undefined) await writeFile(output, quiet);
  else if (to !== undefined) await writeFolder(to, quiet);
}

async function writeFile(path: string, quiet: boolean): Promise<void> {
  refuseOtherName(path, { does: 'page writes a page', example: 'ptflame.html', option: '-o' });
  if (isTerminal(path))
    throw new PtflameError('BAD_OPTION', 'a page is not printed to a terminal', {
      hint: 'name a file: -o ptflame.html',
    });
  await writeAll([{ output: await openOutput(path), chunks: () => createReadStream(OFFLINE_PAGE) }]);
  if (!quiet && !isStandardOutput(path))
    notify(`next: open ${shellWords([path])} in a browser, and drop a recording on it`);
}

/** Each file is replaced as a whole. */
async function writeFolder(folder: string, quiet: boolean): Promise<void> {
  makeFolder(folder, 'name another folder with --to');
  const files = hostedFiles(await readFile(OFFLINE_PAGE, 'utf8'));
  const outputs = [];
  for (const [name, text] of files)
    outputs.push({ output: await openOutput(join(folder, name)), chunks: () => [text] });
  await writeAll(outputs);
  if (!quiet) notify(`next: copy ${shellWords([folder])} to a host of static files that serves https`);
}
