/**
 * The report page alone: who draws something else need not load it.
 */
export { type HtmlOptions, renderHtml } from './render/page/html.js';
