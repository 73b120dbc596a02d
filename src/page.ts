/**
 * The report page, on its own so that other output does not load it.
 */
export { analyzeForPage, type PageContents } from './pipeline/analyze-for-page.js';
export { type HtmlOptions, pagePolicy, renderHtml, renderHtmlInParallel } from './render/page/html.js';
