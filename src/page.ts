/**
 * The report page, on its own so that other output does not load it.
 */
export { type HtmlOptions, renderHtml } from './render/page/html.js';
