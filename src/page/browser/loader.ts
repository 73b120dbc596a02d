/**
 * Runs the script of the page, which is deflated in the file, once the whole page has been read.
 */
import { bytesOf, inflated } from './platform/inflate.js';

/** The policy of the page knows the script by its hash. */
async function load(block: Element): Promise<void> {
  const script = document.createElement('script');
  script.textContent = new TextDecoder().decode(await inflated(bytesOf(block.textContent ?? '')));
  if (document.readyState === 'loading')
    await new Promise((done) => document.addEventListener('DOMContentLoaded', done, { once: true }));
  block.replaceWith(script);
}

load(document.getElementById('script') as Element).catch((error) => {
  const message = 'This page needs Chrome 123, Firefox 125 or Safari 17.5: its script cannot be inflated';
  document.getElementById('app')?.append(`${message} (${error}).`);
});
