/**
 * Writes comparisons to files.
 */
import { basename } from 'node:path';
import type { Profile } from '../../src/model/profile/profile.js';
import { safeJson } from '../../src/model/safe-json.js';
import type { Diff } from '../../src/questions/schema.js';
import { type DiffOptions, diffFiles } from '../options/questions/diff.js';
import { type Format, OWN_FORMATS, type OwnFormat, outputFormats } from './formats.js';
import { type Output, openOutput, writeAll } from './outputs.js';
import { refuseLargeStacks } from './refuse-large.js';
import type { Chunks } from './write-chunks.js';
import { writtenLines } from './written-files.js';

export interface DiffOutputs {
  write(before: Profile, after: Profile, answer: Diff): Promise<void>;
  /** The lines about the files that were written. */
  lines(): Promise<string[]>;
}

/** Opens the outputs before the work begins. `inputs`: paths that are read. */
export async function openDiffOutputs(options: DiffOptions, inputs: readonly string[]): Promise<DiffOutputs> {
  const { pictures: paths } = diffFiles(options);
  const formats = outputFormats({ ...options, output: paths }, OWN_FORMATS);
  const written = paths.map((path, at) => ({ path, format: formats[at] as OwnFormat }));
  const opened: { output: Output; format: OwnFormat }[] = [];
  for (const { path, format } of written) opened.push({ output: await openOutput(path, inputs), format });
  return {
    async write(before, after, answer) {
      if (opened.length === 0) return;
      const render = await rendererOf(before, after, answer, options, inputs, formats);
      await writeAll(opened.map(({ output, format }) => ({ output, chunks: () => render(format) })));
    },
    lines: () => writtenLines(written, []),
  };
}

async function rendererOf(
  before: Profile,
  after: Profile,
  answer: Diff,
  options: DiffOptions,
  inputs: readonly string[],
  formats: readonly Format[],
): Promise<(format: OwnFormat) => Chunks> {
  const [{ compareProfiles }, { diffFoldedBytes, renderDiffFolded }, { renderDiffHtml }, { renderDiffSvg }] =
    await Promise.all([
      import('../../src/render/diff/comparison.js'),
      import('../../src/render/diff/folded.js'),
      import('../../src/page/diff/html.js'),
      import('../../src/render/diff/picture.js'),
    ]);
  const { per = null, icicle, widthOf, width, maxFolded } = options;
  const comparison = compareProfiles(before, after, per);
  if (formats.includes('folded')) refuseLargeStacks('the folded stacks are', diffFoldedBytes(comparison), maxFolded);
  const look = { title: options.title ?? titleOf(options, inputs), icicle, widthOf };
  return (format) => {
    switch (format) {
      case 'json':
        return [`${safeJson(JSON.stringify(answer, null, 2))}\n`];
      case 'folded':
        return renderDiffFolded(comparison);
      case 'svg':
        return renderDiffSvg(comparison, { ...look, ...(width !== undefined && { widthPx: width }) });
      case 'html':
        return renderDiffHtml(comparison, answer.functions, look);
    }
  };
}

/** Returns "old.data → new.data", or "trace.ptf tid=12 → trace.ptf tid=34". */
function titleOf({ before, after }: DiffOptions, inputs: readonly string[]): string {
  const names = inputs.map((path) => (path === '-' ? 'standard input' : basename(path)));
  const sides = [before, after].map((side, at) => [names[at], ...(side ? [side.text] : [])].join(' '));
  return sides.join(' → ');
}
