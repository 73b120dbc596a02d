/**
 * The report page, on its own so that other output does not load it.
 */
export { analyzeWithWaits, type ProfileWithWaits } from './pipeline/waits/analyze-with-waits.js';
export { type HtmlOptions, renderHtml, renderHtmlInParallel } from './render/page/html.js';
