/**
 * What runs in the browser → string constants that the renderers import: the script inside of SVG files, the script and the
 * style sheet of the page.
 */

import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { buildSync } from 'esbuild';
import { noticeOf, packagesOf } from './licenses.mjs';

const SETTINGS = {
  bundle: true,
  minify: true,
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'none',
  write: false,
  logLevel: 'warning',
};

/** Of what d3-flame-graph needs, as much as the page uses: nothing is animated, and scales are of pixels. */
const SELECTION = resolve('src/render/page/browser/selection.ts');
const PLAIN = resolve('src/render/page/browser/instead-of-d3.ts');
const INSTEAD = {
  'd3-selection': SELECTION,
  'd3-transition': SELECTION,
  'd3-array': PLAIN,
  'd3-hierarchy': PLAIN,
  'd3-scale': PLAIN,
  'd3-format': PLAIN,
  'd3-ease': PLAIN,
};

const built = (settings) => {
  const result = buildSync({ ...SETTINGS, ...settings, metafile: true });
  if (result.warnings.length > 0) process.exit(1); // esbuild has said them
  return result;
};
const bundled = (settings) => built(settings).outputFiles[0].text.trim();
const constant = (name, text) => `export const ${name}: string = ${JSON.stringify(text)};\n`;

const script = bundled({ entryPoints: ['src/render/svg/browser/main.ts'], format: 'iife' });
writeFileSync('src/render/svg/script.generated.ts', constant('SCRIPT', script));

const page = built({
  entryPoints: ['src/render/page/browser/main.ts'],
  format: 'iife',
  alias: INSTEAD,
  loader: { '.css': 'empty' },
});
const pageStyle = bundled({ entryPoints: ['src/render/page/browser/page.css'], target: 'chrome123' });
// in a page a script ends where it says so, even within a text
const pageScript = page.outputFiles[0].text
  .trim()
  .replace(/<\/(script)/gi, '<\\/$1')
  .replace(/<!--/g, '<\\!--');
const pagePackages = packagesOf(page.metafile);
const texts = { PAGE_SCRIPT: pageScript, PAGE_STYLE: pageStyle, PAGE_NOTICE: noticeOf(pagePackages) };
writeFileSync(
  'src/render/page/page.generated.ts',
  Object.entries(texts)
    .map(([name, text]) => constant(name, text))
    .join(''),
);
writeFileSync('src/render/page/packages.generated.json', JSON.stringify(pagePackages));
