/**
 * Bundles the browser code into string constants that the renderers import: the script in SVG files, the script and
 * style sheet of the report page. The script of the page is deflated, for its loader to inflate.
 */

import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import zopfli from '@gfx/zopfli';
import { build } from 'esbuild';
import { inAscii, inHtml, leanD3 } from './bundle-settings.mjs';
import { noticeOf, packagesOf } from './licenses.mjs';

const SETTINGS = {
  bundle: true,
  minify: true,
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'none',
  tsconfigRaw: { compilerOptions: { useDefineForClassFields: false } }, // a field that a constructor sets is not declared
  // Properties of our own. Reserved are those of browsers and of our file formats that end alike.
  mangleProps: /(?:Px|Of|At)$/,
  reserveProps:
    /^(?:minPx|startedAt|widthOf|indexOf|lastIndexOf|valueOf|isPrototypeOf|[gs]etPrototypeOf|charAt|charCodeAt|codePointAt)$/,
  write: false,
  logLevel: 'warning',
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
  entryPoints: ['src/page/browser/own-data.ts'],
  format: 'iife',
  plugins: [leanD3],
  loader: { '.css': 'empty' },
});
const pageStyle = await bundled({ entryPoints: ['src/page/browser/page.css'], target: 'chrome123' });
const pageLoader = await bundled({ entryPoints: ['src/page/browser/loader.ts'], format: 'iife', target: 'es2018' });
const pageScript = inAscii(page.outputFiles[0].text.trim());
const pagePackages = packagesOf(page.metafile);
const texts = {
  PAGE_LOADER: inHtml(pageLoader),
  PAGE_SCRIPT: Buffer.from(await zopfli.deflateAsync(Buffer.from(pageScript), {})).toString('base64'),
  PAGE_SCRIPT_HASH: createHash('sha256').update(pageScript).digest('base64'),
  PAGE_STYLE: pageStyle,
  PAGE_NOTICE: noticeOf(pagePackages),
};
writeFileSync(
  'src/page/page.generated.ts',
  Object.entries(texts)
    .map(([name, text]) => constant(name, text))
    .join(''),
);
writeFileSync('src/page/packages.generated.json', JSON.stringify(pagePackages));

const diffSvg = await bundled({ entryPoints: ['src/render/diff/browser/svg.ts'], format: 'iife' });
writeFileSync('src/render/diff/script.generated.ts', constant('DIFF_SVG_SCRIPT', diffSvg));
