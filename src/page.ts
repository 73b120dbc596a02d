/**
 * The report page, on its own so that other output does not load it.
 */
export { type HtmlOptions, renderHtml, renderHtmlInParallel } from './render/page/html.js';
