/**
 * The command line, with what it uses of the library and of packages → a few files in dist/cli. Opening hundreds of small ones
 * takes longer than reading a small trace.
 */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { licensesOf, packagesOf } from './licenses.mjs';

const DIRECTORY = 'dist/cli';

/** What a process or a thread starts with has a line here: its file in dist/cli, and its source. */
const ENTRY_POINTS = {
  main: 'cli/start.ts',
  'trace-worker': 'src/pipeline/trace-worker.ts',
};

/** Not for every run: loaded from where they are installed, if at all. */
const LEFT_OUT = ['cli-progress', 'execa', 'piscina', 'tar-stream'];

/**
 * yargs aligns help by string-width 7, of which a copy lies in each of three packages, and each sets up Intl.Segmenter as it
 * is loaded: together 10 ms. Version 4 knows fewer emoji; our help has none.
 */
const INSTEAD = { 'string-width': 'string-width' };

/** yargs looks for its translations three folders above its own file; here they lie beside the bundle. */
const translationsBeside = {
  name: 'translations-beside',
  setup({ onLoad }) {
    onLoad({ filter: /yargs.lib.platform-shims.esm\.mjs$/ }, ({ path }) => {
      const [before, after, ...more] = readFileSync(path, 'utf8').split("'../../../locales'");
      if (after === undefined || more.length > 0) throw new Error(`${path} looks for its translations elsewhere now`);
      return { contents: `${before}'../locales'${after}` };
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
  alias: INSTEAD,
  plugins: [translationsBeside],
  metafile: true,
  logLevel: 'warning',
});
if (warnings.length > 0) process.exit(1); // esbuild has said them
cpSync('node_modules/yargs/locales', `${DIRECTORY}/locales`, { recursive: true });
const inThePage = JSON.parse(readFileSync('src/render/page/packages.generated.json', 'utf8'));
const packages = [...new Set([...packagesOf(metafile), ...inThePage])].sort();
writeFileSync(`${DIRECTORY}/LICENSES.txt`, licensesOf(packages));
