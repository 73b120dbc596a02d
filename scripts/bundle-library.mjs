/**
 * Bundles the library for browsers: what bundlers find under the condition `browser` of package.json. It needs no other
 * packages and no settings; its workers are made of a text in it.
 */
import { writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { bareEvents, hostIsBrowser, inBrowser } from './bundle-settings.mjs';
import { licensesOf, packagesOf } from './licenses.mjs';

const bundled = (settings) => build({ ...inBrowser, format: 'esm', metafile: true, ...settings });

const worker = await bundled({
  entryPoints: ['src/web/engine/worker.ts'],
  format: 'iife',
  write: false,
  plugins: [hostIsBrowser],
  alias: bareEvents,
});
const library = await bundled({
  entryPoints: { index: 'src/index.ts', answers: 'src/answers.ts', 'profile-schema': 'src/profile-file/schema.ts' },
  outdir: 'dist/browser',
  splitting: true,
  chunkNames: '[name]-[hash]',
  plugins: [hostIsBrowser],
  alias: bareEvents,
  define: { ...inBrowser.define, WORKER_CODE: JSON.stringify(worker.outputFiles[0].text) },
});
if ([worker, library].some(({ warnings }) => warnings.length > 0)) process.exit(1); // esbuild has printed them
const packages = [worker, library].flatMap(({ metafile }) => packagesOf(metafile));
writeFileSync('dist/browser/LICENSES.txt', licensesOf([...new Set(packages)].sort()));
