/**
 * Writes the offline page: one HTML file with the report page and the engine that decodes what is dropped on it.
 */
import { documentStart } from '../page/document.js';
import { hashOf, LOGO, pageStyle, patternDefs } from '../page/html.js';
import { PAGE_LOADER } from '../page/page.generated.js';

/** What the page is made of; `scripts/bundle-offline-page.mjs` has it bundled. */
export interface OfflineParts {
  /** Of the page. */
  readonly script: string;
  /** The same, deflated, in base64. */
  readonly deflatedScript: string;
  readonly style: string;
  /** Of the engine, deflated, in base64. */
  readonly engine: string;
  /** The bundled trace, in base64. */
  readonly demo: string;
  /** Licences of packages. */
  readonly notice: string;
}

export function offlinePage({ script, deflatedScript, style, engine, demo, notice }: OfflineParts): string {
  const wholeStyle = pageStyle(style);
  const policy = offlinePolicy(script, wholeStyle);
  return `${documentStart({ title: 'ptflame', policy, style: wholeStyle, notice })}<header><div class="brand">${LOGO}<h1>ptflame</h1></div><span class="sub">Flame graphs from Intel PT</span></header>
<main id="app"><noscript>This page needs JavaScript. The script is part of the file; nothing is loaded from the network.</noscript></main>
${patternDefs()}
<script type="application/octet-stream" id="demo">${demo}</script>
<script type="application/octet-stream" id="engine">${engine}</script>
<script type="application/octet-stream" id="script">${deflatedScript}</script>
<script>${PAGE_LOADER}</script>
</body>
</html>
`;
}

/** Allows the page's own script and style, workers made of its own text, and no connection to anything. */
function offlinePolicy(script: string, style: string): string {
  return [
    "default-src 'none'",
    `script-src '${hashOf(PAGE_LOADER)}' '${hashOf(script)}' 'wasm-unsafe-eval'`,
    `style-src '${hashOf(style)}'`,
    'worker-src blob:',
    "connect-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}
