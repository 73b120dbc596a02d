/**
 * The report page, on its own so that other output does not load it.
 */
export type { LongestCalls } from './model/calls/call-events.js';
export { analyzeForPage, type PageContents } from './pipeline/analyze-for-page.js';
export { type HtmlOptions, pagePolicy, renderHtml, renderHtmlInParallel } from './render/page/html.js';
