/**
 * The command line, with what it uses of the library and of packages → a few files in dist/cli. Opening hundreds of small ones
 * takes longer than reading a small trace.
 */
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

const DIRECTORY = 'dist/cli';

/** What a process or a thread starts with has a line here: its file in dist/cli, and its source. */
const ENTRY_POINTS = {
  main: 'cli/main.ts',
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

/** Of every package that a piece of is in the bundle. */
function licenses(inputs) {
  const packages = inputs.map((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]).filter(Boolean);
  const texts = packages.map((path) => {
    const file = readdirSync(path).find((name) => /^licen[cs]e/i.test(name));
    if (file === undefined) throw new Error(`${path} has no license`);
    return `${path.slice(path.lastIndexOf('node_modules/') + 13)}\n\n${readFileSync(`${path}/${file}`, 'utf8').trim()}\n`;
  });
  return [...new Set(texts)].sort().join('\n\n');
}

rmSync(DIRECTORY, { recursive: true, force: true }); // the chunks of another build have other names
const { metafile } = await build({
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
cpSync('node_modules/yargs/locales', `${DIRECTORY}/locales`, { recursive: true });
const inputs = Object.values(metafile.outputs).flatMap((output) => Object.keys(output.inputs));
writeFileSync(`${DIRECTORY}/LICENSES.txt`, licenses(inputs));
