/**
 * Bundles the command line, with the parts of the library and of packages that it uses, into a few files in dist/cli.
 * Opening hundreds of small files takes longer than reading a small trace.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { licensesOf, packagesOf } from './licenses.mjs';

const DIRECTORY = 'dist/cli';

/** The entry points of processes and workers: the file in dist/cli, and its source. */
const ENTRY_POINTS = {
  main: 'cli/start.ts',
  'trace-worker': 'src/pipeline/workers/trace-worker.ts',
};

/** Not needed in every run: loaded from node_modules on demand. */
const NOT_BUNDLED = ['cli-progress', 'execa', 'piscina', 'tar-stream'];

/** Only yargs' parser is used. The rest of its entry point initializes languages and Intl, which takes 10 ms. */
const parserAlone = {
  name: 'parser-alone',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /platform-shims.esm\.mjs$/ }, async ({ path, pluginData, ...where }) => {
      if (pluginData === 'resolved') return undefined;
      return { ...(await resolve(path, { ...where, pluginData: 'resolved' })), sideEffects: false };
    });
  },
};

rmSync(DIRECTORY, { recursive: true, force: true }); // chunks of earlier builds have other names
const { metafile, warnings } = await build({
  entryPoints: ENTRY_POINTS,
  outdir: DIRECTORY,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  external: NOT_BUNDLED,
  plugins: [parserAlone],
  metafile: true,
  logLevel: 'warning',
});
if (warnings.length > 0) process.exit(1); // esbuild has printed them
const pagePackages = JSON.parse(readFileSync('src/render/page/packages.generated.json', 'utf8'));
const packages = [...new Set([...packagesOf(metafile), ...pagePackages])].sort();
writeFileSync(`${DIRECTORY}/LICENSES.txt`, licensesOf(packages));
