/**
 * Makes the offline page, which `ptflame page` writes: bundles its script and its engine, and puts both into one file.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import zopfli from '@gfx/zopfli';
import { build } from 'esbuild';
import { offlinePage } from '../dist/src/web/html.js';
import { bareEvents, hostIsBrowser, inAscii, inBrowser, leanD3 } from './bundle-settings.mjs';
import { noticeOf, packagesOf } from './licenses.mjs';

const bundled = (settings) =>
  build({
    bundle: true,
    minify: true,
    target: 'es2023',
    charset: 'utf8',
    legalComments: 'none',
    format: 'iife',
    write: false,
    metafile: true,
    logLevel: 'warning',
    ...settings,
  });

const page = await bundled({
  entryPoints: ['src/web/page/main.ts'],
  plugins: [leanD3],
  loader: { '.css': 'empty' },
});
const style = await bundled({ entryPoints: ['src/web/page/web.css'], target: 'chrome123' });
const engine = await bundled({
  ...inBrowser,
  entryPoints: ['src/web/engine/main.ts'],
  plugins: [hostIsBrowser],
  alias: bareEvents,
  format: 'esm', // without a function around all of it, which browsers would read twice
  define: { ...inBrowser.define, WORKER_CODE: '""' }, // the page sends it
  banner: { js: '"use strict";globalThis.__zod_globalConfig={jitless:true};' }, // else zod tries what the page's policy forbids
});
if ([page, style, engine].some(({ warnings }) => warnings.length > 0)) process.exit(1); // esbuild has printed them

const textOf = ({ outputFiles }) => outputFiles[0].text.trim();
const packages = [...new Set([page, engine].flatMap(({ metafile }) => packagesOf(metafile)))].sort();
const deflated = async (text) => Buffer.from(await zopfli.deflateAsync(Buffer.from(text), {})).toString('base64');
const script = inAscii(textOf(page));
writeFileSync(
  'dist/cli/ptflame.html',
  offlinePage({
    script,
    deflatedScript: await deflated(script),
    style: textOf(style),
    engine: await deflated(inAscii(textOf(engine))),
    demo: readFileSync('fixtures/demo/threads.perf.txt.gz').toString('base64'),
    notice: noticeOf(packages),
  }),
);
