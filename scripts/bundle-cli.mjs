/**
 * Bundles the command line, with the parts of the library and of packages that it uses, into two files in dist/cli: one for the
 * process, one for its workers. Two small files load them (cli/process/load-code.ts). Opening hundreds of small files takes
 * longer than reading a small trace.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { build } from 'esbuild';
import { inAscii } from './bundle-settings.mjs';
import { licensesOf, packagesOf } from './licenses.mjs';

const DIRECTORY = 'dist/cli';

/** The code of the process and of a worker; as each has a hash in its name, kept code never belongs to another build. */
const CODE = { program: 'cli/main.ts', worker: 'src/pipeline/workers/trace-worker.ts' };

/** Not needed in every run: loaded from node_modules on demand. */
const NOT_BUNDLED = ['@duckdb/node-api', 'cli-progress', 'execa', 'piscina', 'tar-stream', 'zstddec'];

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

/** Loads packages without ES modules at once: importing them would wait for several turns of a busy event loop. */
const requiredAtOnce = {
  name: 'required-at-once',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(@duckdb\/node-api|cli-progress|piscina|tar-stream)$/ }, ({ path, kind }) =>
      kind === 'dynamic-import' ? { path, namespace: 'installed' } : { path, external: true },
    );
    onLoad({ filter: /./, namespace: 'installed' }, ({ path }) => ({
      contents: `module.exports = require('${path}');`,
    }));
  },
};

/** A script cannot require an ES module in every Node that runs ptflame. */
const importedOnDemand = {
  name: 'imported-on-demand',
  setup({ onResolve }) {
    onResolve({ filter: /^(execa|zstddec\/stream)$/ }, ({ path, kind }) =>
      kind === 'dynamic-import' ? { path, external: true } : { errors: [{ text: `import ${path} where it is used` }] },
    );
  },
};

/** V8 keeps code only of scripts and CommonJS modules. */
const COMMON = {
  outdir: DIRECTORY,
  bundle: true,
  format: 'cjs',
  platform: 'node',
  define: { 'import.meta.url': 'FILE_URL' },
  banner: { js: '"use strict"; const FILE_URL = require("url").pathToFileURL(__filename).href;' },
  metafile: true,
  logLevel: 'warning',
};

/** Bundles what `load-code.ts` loads: a function, in ASCII. */
async function bundleCode() {
  const result = await build({
    ...COMMON,
    entryPoints: CODE,
    target: 'node20.19',
    external: NOT_BUNDLED,
    plugins: [parserAlone, requiredAtOnce, importedOnDemand],
    write: false,
  });
  const files = result.outputFiles.map(({ path, text }) => [basename(path, '.js'), writeCode(path, text)]);
  return { ...result, files: Object.fromEntries(files) };
}

/** Returns the name of the file. */
function writeCode(path, text) {
  const code = `(function (module, require, importPackage, __filename) {${inAscii(withImports(text))}})`;
  const name = `${basename(path, '.js')}-${createHash('sha256').update(code).digest('hex').slice(0, 12)}.js`;
  writeFileSync(`${DIRECTORY}/${name}`, code);
  return name;
}

/** A script with kept code cannot import anything: the file that loads it does. */
function withImports(text) {
  return text.replace(/\bimport\((?=")/g, 'importPackage(');
}

/** Bundles what Node and the worker pool load. Its syntax is old, so that an old Node can refuse to run. */
function bundleStart(entryPoints, codeFiles, footer = '') {
  const commands = readdirSync('cli/commands').map((file) => basename(file, '.ts'));
  const define = { ...COMMON.define, CODE_FILES: JSON.stringify(codeFiles), COMMANDS: JSON.stringify(commands) };
  return build({ ...COMMON, entryPoints, define, footer: { js: footer }, target: 'node14' });
}

rmSync(DIRECTORY, { recursive: true, force: true }); // earlier builds have other names
mkdirSync(DIRECTORY, { recursive: true });
const code = await bundleCode();
const starts = [
  await bundleStart({ main: 'cli/start.ts' }, code.files),
  await bundleStart({ 'trace-worker': 'cli/start-worker.ts' }, code.files, 'module.exports = module.exports.tasks;'),
];
if ([code, ...starts].some(({ warnings }) => warnings.length > 0)) process.exit(1); // esbuild has printed them
writeFileSync(`${DIRECTORY}/package.json`, '{ "type": "commonjs" }\n');
const pagePackages = JSON.parse(readFileSync('src/page/packages.generated.json', 'utf8'));
const packages = [...new Set([...packagesOf(code.metafile), ...pagePackages])].sort();
writeFileSync(`${DIRECTORY}/LICENSES.txt`, licensesOf(packages));

// What cli/start.ts prints, and the man page. Code is not kept: it would be that of the build.
const outputOf = (...args) =>
  execFileSync(process.execPath, [`${DIRECTORY}/main.js`, ...args], {
    env: { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' },
  });
for (const shell of ['bash', 'zsh', 'fish'])
  writeFileSync(`${DIRECTORY}/completion.${shell}`, outputOf('completion', shell));
mkdirSync('man', { recursive: true });
writeFileSync('man/ptflame.1', outputOf('help', '--man'));
