/**
 * The command line, with what it uses of the library and of packages → a few files in dist/cli. Opening hundreds of small ones
 * takes longer than reading a small trace.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { licensesOf, packagesOf } from './licenses.mjs';

const DIRECTORY = 'dist/cli';

/** What a process or a thread starts with has a line here: its file in dist/cli, and its source. */
const ENTRY_POINTS = {
  main: 'cli/start.ts',
  'trace-worker': 'src/pipeline/workers/trace-worker.ts',
};

/** Not for every run: loaded from where they are installed, if at all. */
const LEFT_OUT = ['cli-progress', 'execa', 'piscina', 'tar-stream'];

/** Only yargs' parser is used. What else its door loads sets up languages and Intl as it starts: together 10 ms. */
const parserAlone = {
  name: 'parser-alone',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /platform-shims.esm\.mjs$/ }, async ({ path, pluginData, ...where }) => {
      if (pluginData === 'resolved') return undefined;
      return { ...(await resolve(path, { ...where, pluginData: 'resolved' })), sideEffects: false };
    });
  },
};

rmSync(DIRECTORY, { recursive: true, force: true }); // the chunks of another build have other names
const { metafile, warnings } = await build({
  entryPoints: ENTRY_POINTS,
  outdir: DIRECTORY,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  external: LEFT_OUT,
  plugins: [parserAlone],
  metafile: true,
  logLevel: 'warning',
});
if (warnings.length > 0) process.exit(1); // esbuild has said them
const inThePage = JSON.parse(readFileSync('src/render/page/packages.generated.json', 'utf8'));
const packages = [...new Set([...packagesOf(metafile), ...inThePage])].sort();
writeFileSync(`${DIRECTORY}/LICENSES.txt`, licensesOf(packages));
