/**
 * Bundles the browser code into string constants that the renderers import: the script in SVG files, the script and
 * style sheet of the report page.
 */

import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { build } from 'esbuild';
import { noticeOf, packagesOf } from './licenses.mjs';

const SETTINGS = {
  bundle: true,
  minify: true,
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'none',
  // Properties of our own. Reserved are those of browsers and of our file formats that end alike.
  mangleProps: /(?:Px|Of|At)$/,
  reserveProps:
    /^(?:minPx|startedAt|widthOf|indexOf|lastIndexOf|valueOf|isPrototypeOf|[gs]etPrototypeOf|charAt|charCodeAt|codePointAt)$/,
  write: false,
  logLevel: 'warning',
};

/** Only d3-flame-graph gets `d3-chart/d3.ts` instead of d3's packages. */
const isFlameGraph = /[\\/]node_modules[\\/]d3-flame-graph[\\/]/;
const leanD3 = {
  name: 'lean-d3',
  setup({ onResolve }) {
    onResolve({ filter: /^d3-/ }, ({ importer }) =>
      isFlameGraph.test(importer) ? { path: resolve('src/page/d3-chart/d3.ts') } : undefined,
    );
  },
};

const built = async (settings) => {
  const result = await build({ ...SETTINGS, ...settings, metafile: true });
  if (result.warnings.length > 0) process.exit(1); // esbuild has printed them
  const [text] = result.outputFiles[0].text.match(/["'`](?!minPx|startedAt|widthOf)\w+(?:Px|Of|At)["'`]/) ?? [];
  if (text) throw new Error(`${text}: a property name in a string is not shortened together with the property`);
  return result;
};
const bundled = async (settings) => (await built(settings)).outputFiles[0].text.trim();
const constant = (name, text) => `export const ${name}: string = ${JSON.stringify(text)};\n`;

const script = await bundled({ entryPoints: ['src/render/svg/browser/main.ts'], format: 'iife' });
writeFileSync('src/render/svg/script.generated.ts', constant('SCRIPT', script));

const page = await built({
  entryPoints: ['src/page/browser/main.ts'],
  format: 'iife',
  plugins: [leanD3],
  loader: { '.css': 'empty' },
});
const pageStyle = await bundled({ entryPoints: ['src/page/browser/page.css'], target: 'chrome123' });
// In HTML, </script> ends a script even inside a string.
const inHtml = (text) =>
  text
    .trim()
    .replace(/<\/(script)/gi, '<\\/$1')
    .replace(/<!--/g, '<\\!--');
const pageScript = inHtml(page.outputFiles[0].text);
const pagePackages = packagesOf(page.metafile);
const texts = { PAGE_SCRIPT: pageScript, PAGE_STYLE: pageStyle, PAGE_NOTICE: noticeOf(pagePackages) };
writeFileSync(
  'src/page/page.generated.ts',
  Object.entries(texts)
    .map(([name, text]) => constant(name, text))
    .join(''),
);
writeFileSync('src/page/packages.generated.json', JSON.stringify(pagePackages));

const diffSvg = await bundled({ entryPoints: ['src/render/diff/browser/svg.ts'], format: 'iife' });
writeFileSync('src/render/diff/script.generated.ts', constant('DIFF_SVG_SCRIPT', diffSvg));
