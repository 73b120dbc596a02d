/**
 * `ptflame page`: writes the offline page.
 */

import { createReadStream } from 'node:fs';
import * as z from 'zod';
import { PtflameError } from '../../src/model/errors.js';
import { shellWords } from '../../src/render/visible-text.js';
import { general } from '../options/shared.js';
import { path } from '../options/values.js';
import { refuseOtherName } from '../output/formats.js';
import { openOutput, writeAll } from '../output/outputs.js';
import { isStandardOutput, isTerminal } from '../output/write-chunks.js';
import { notify } from '../terminal/notify.js';
import { defineCommand } from '../usage/define-command.js';
import { flag, group } from '../usage/flag.js';

/** The options of `ptflame page`. */
const PageOptions = z.object({
  ...group('Output', {
    output: flag(path, 'where to write the page; - is standard output', {
      alias: 'o',
      value: 'FILE',
      common: 'where to write the page',
    }),
  }),
  ...general(),
});
type PageOptions = z.infer<typeof PageOptions>;

export const command = defineCommand({
  details:
    'The page decodes what is dropped on it: a recording, a pack, text of perf script, an imported trace or a profile. It needs a browser, and neither a network nor an installation.',
  examples: [['ptflame page -o ptflame.html', 'send it to whoever is to look at recordings']],
  schema: PageOptions,
  run: writePage,
});

/** Relative to `dist/cli`, the folder of all built files. */
const PAGE = new URL('./ptflame.html', import.meta.url);

async function writePage({ output: path, quiet }: PageOptions): Promise<void> {
  refuseOtherName(path, { does: 'page writes a page', example: 'ptflame.html', option: '-o' });
  if (isTerminal(path))
    throw new PtflameError('BAD_OPTION', 'a page is not printed to a terminal', {
      hint: 'name a file: -o ptflame.html',
    });
  await writeAll([{ output: await openOutput(path), chunks: () => createReadStream(PAGE) }]);
  if (!quiet && !isStandardOutput(path))
    notify(`next: open ${shellWords([path])} in a browser, and drop a recording on it`);
}
