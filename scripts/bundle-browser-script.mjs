/**
 * What runs in the browser → string constants that the renderers import: the script inside of SVG files, the script and the
 * style sheet of the page.
 */

import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { buildSync } from 'esbuild';

const SETTINGS = {
  bundle: true,
  minify: true,
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'none',
  write: false,
  logLevel: 'warning',
};

/** Nothing is animated, and the style sheet of d3-flame-graph is not ours. */
const INSTEAD = { 'd3-transition': resolve('src/render/page/browser/immediate.ts') };

const bundled = (settings) => buildSync({ ...SETTINGS, ...settings }).outputFiles[0].text.trim();
const constant = (name, text) => `export const ${name} = ${JSON.stringify(text)};\n`;

const script = bundled({ entryPoints: ['src/render/svg/browser/main.ts'], format: 'iife' });
writeFileSync('src/render/svg/script.generated.ts', constant('SCRIPT', script));

const pageScript = bundled({
  entryPoints: ['src/render/page/browser/main.ts'],
  format: 'iife',
  alias: INSTEAD,
  loader: { '.css': 'empty' },
});
const pageStyle = bundled({ entryPoints: ['src/render/page/browser/page.css'], target: 'chrome123' });
// in a page a script ends where it says so, even within a text
const safe = pageScript.replace(/<\/(script)/gi, '<\\/$1').replace(/<!--/g, '<\\!--');
writeFileSync('src/render/page/page.generated.ts', constant('PAGE_SCRIPT', safe) + constant('PAGE_STYLE', pageStyle));
