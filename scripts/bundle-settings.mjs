/**
 * What the bundles of pages share.
 */
import { basename, resolve } from 'node:path';

/** Only d3-flame-graph gets `d3-chart/d3.ts` instead of d3's packages. */
const isFlameGraph = /[\\/]node_modules[\\/]d3-flame-graph[\\/]/;
export const leanD3 = {
  name: 'lean-d3',
  setup({ onResolve }) {
    onResolve({ filter: /^d3-/ }, ({ importer }) =>
      isFlameGraph.test(importer) ? { path: resolve('src/page/d3-chart/d3.ts') } : undefined,
    );
  },
};

/** In HTML, </script> ends a script even inside a string. */
export const inHtml = (text) =>
  text
    .trim()
    .replace(/<\/(script)/gi, '<\\/$1')
    .replace(/<!--/g, '<\\!--');

/**
 * Writes a script in ASCII; esbuild leaves other characters in comments and regular expressions. Node reads it twice as fast,
 * and browsers keep one byte a character, in each of their workers.
 */
export function inAscii(text) {
  const raw = /^.*String\.raw.*[^\0-\x7f].*$/m.exec(text);
  if (raw) throw new Error(`not ASCII: ${raw[0]}`);
  return text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** In browsers, a module of src/host/ is the one of the same name in src/host/browser/, and workers and files are others. */
export const hostIsBrowser = {
  name: 'host-is-browser',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\/host\/[\w-]+\.js$/ }, ({ path }) => ({
      path: resolve(`src/host/browser/${basename(path, '.js')}.ts`),
    }));
    onResolve({ filter: /\/(?:start-workers|open-sources)\.js$/ }, ({ path }) => ({
      path: resolve(`src/web/engine/${basename(path, '.js')}.ts`),
    }));
    // what only the command line asks for: tables, and the levels of `ptflame serve`
    onResolve({ filter: /\/(?:parquet|levels)\// }, () => ({ path: 'left out', namespace: 'left-out' }));
    onLoad({ filter: /./, namespace: 'left-out' }, () => ({ contents: 'module.exports = {};' }));
  },
};

/** What all code that runs in browsers is bundled with; libzstd is to fetch nothing, not even its own code. */
export const inBrowser = {
  bundle: true,
  platform: 'browser',
  minify: true,
  target: 'es2023',
  charset: 'utf8',
  legalComments: 'none',
  logLevel: 'warning',
  define: { fetch: 'undefined', 'Buffer.from': 'base64Bytes' },
  inject: ['src/codec/bytes.ts'],
};
/** Node's events, of which tar-stream asks for more than browsers have. */
export const bareEvents = { events: 'bare-events' };
