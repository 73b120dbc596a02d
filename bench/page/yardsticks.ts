/**
 * Work unrelated to ptflame in the same browser, because machines differ and their load varies.
 */
import { writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import type { Profile } from '../../src/model/profile/profile.js';
import { inNewPage, VIEWPORT } from './browser.js';

export interface Yardstick {
  /** A loop over numbers, and sorting them. */
  readonly scriptMs: number;
  /** 5,000 rectangles with a text each, until they are painted. */
  readonly paintMs: number;
}

export function measureYardstick(browser: Browser, path: string): Promise<Yardstick> {
  writeFileSync(path, '<!doctype html><title>yardstick</title><body></body>');
  return inNewPage(browser, path, async (page) => {
    await page.waitForLoadState('load');
    return { scriptMs: await page.evaluate(compute), paintMs: await page.evaluate(paintMany) };
  });
}

/** Runs in the page. */
function compute(): number {
  const began = performance.now();
  const values = new Float64Array(1_000_000);
  let state = 1;
  for (let round = 0; round < 10; round++)
    for (let at = 0; at < values.length; at++) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
      values[at] = values[at] + (state >>> 8);
    }
  values.sort();
  return performance.now() - began;
}

/** Runs in the page. */
async function paintMany(): Promise<number> {
  await new Promise((resolve) => requestAnimationFrame(resolve));
  const began = performance.now();
  const name = 'http://www.w3.org/2000/svg';
  const picture = document.createElementNS(name, 'svg');
  picture.setAttribute('width', '1400');
  picture.setAttribute('height', '900');
  for (let at = 0; at < 5_000; at++) {
    const rect = document.createElementNS(name, 'rect');
    const [x, y] = [String((at % 100) * 14), String(Math.floor(at / 100) * 18)];
    for (const [key, value] of [
      ['x', x],
      ['y', y],
      ['width', '13'],
      ['height', '17'],
      ['fill', `hsl(${at % 360} 60% 60%)`],
    ] as const)
      rect.setAttribute(key, value);
    const text = document.createElementNS(name, 'text');
    text.setAttribute('x', x);
    text.setAttribute('y', y);
    text.textContent = 'x';
    picture.append(rect, text);
  }
  document.body.append(picture);
  return (await window.bench.painted()) - began;
}

export interface D3Timing {
  readonly frames: number;
  readonly loadMs: number;
  readonly zoomMs: number;
}

/** d3-flame-graph alone, with all frames of the largest thread. */
export function writeD3Page(profile: Profile, path: string): void {
  const { outputFiles } = buildSync({
    stdin: { contents: DRAW, resolveDir: dirname(fileURLToPath(import.meta.url)) },
    bundle: true,
    minify: true,
    format: 'iife',
    loader: { '.css': 'empty' },
    write: false,
  });
  const data = JSON.stringify(nested(profile)).replaceAll('<', '\\u003c');
  const script = outputFiles[0]?.text.replaceAll('</script', '<\\/script');
  const chart = '<div id="chart"></div>';
  const json = `<script type="application/json" id="data">${data}</script>`;
  writeFileSync(path, `<!doctype html><meta charset="utf-8">${chart}${json}<script>${script}</script>`);
}

const DRAW = `
import { select } from 'd3';
import flamegraph from 'd3-flame-graph';
const chart = flamegraph().width(${VIEWPORT.width}).cellHeight(18).transitionDuration(0);
select('#chart').datum(JSON.parse(document.getElementById('data').textContent)).call(chart);`;

interface Nested {
  readonly name: string;
  value: number;
  readonly children: Nested[];
}

function nested({ threads, symbols }: Profile): Nested {
  const { tree } = threads.reduce((largest, thread) => (thread.tree.length > largest.tree.length ? thread : largest));
  const nodes = Array.from(
    tree.symbol,
    (symbol, node): Nested => ({
      name: symbols.name[symbol] ?? 'all',
      value: tree.selfNs[node],
      children: [],
    }),
  );
  for (let node = nodes.length - 1; node > 0; node--) {
    const [own, parent] = [nodes[node], nodes[tree.parent[node]]];
    parent.value += own.value;
    parent.children.push(own);
  }
  return nodes[0];
}

export function measureD3Page(browser: Browser, path: string): Promise<D3Timing> {
  return inNewPage(browser, path, async (page: Page) => {
    const loadMs = await page.evaluate(() => window.bench.loaded);
    return { loadMs, ...(await page.evaluate(zoomIn)) };
  });
}

/** Runs in the page. */
async function zoomIn(): Promise<{ frames: number; zoomMs: number }> {
  const frames = [...document.querySelectorAll('g.frame')];
  const areas = frames.map((frame) => ({ frame, area: frame.getBoundingClientRect() }));
  const wide = areas.filter(({ area }) => area.width > innerWidth / 10);
  wide.sort((a, b) => a.area.top - b.area.top);
  await new Promise((resolve) => requestAnimationFrame(resolve));
  const began = performance.now();
  wide[0]?.frame.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }));
  return { frames: frames.length, zoomMs: (await window.bench.painted()) - began };
}
