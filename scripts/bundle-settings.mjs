/**
 * What the bundles of pages share.
 */
import { existsSync } from 'node:fs';
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

/** In browsers, a module that needs the host gets the one of the same name in this folder instead. */
const BROWSER = resolve('src/web/engine/host');
export const hostIsBrowser = {
  name: 'host-is-browser',
  setup({ onResolve }) {
    onResolve({ filter: /(?:\/host\/[\w-]+|\/start-workers)\.js$/ }, ({ path }) => {
      const own = `${BROWSER}/${basename(path, '.js')}.ts`;
      return existsSync(own) ? { path: own } : undefined;
    });
  },
};
