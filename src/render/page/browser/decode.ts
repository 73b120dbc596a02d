/**
 * The data of the page, from the text in it.
 */
import type { PageData } from '../data/page-data.js';
import { readPageData } from '../data/read.js';

export async function decodeData(base64: string): Promise<PageData> {
  const deflated = new Blob([bytesOf(base64)]).stream();
  const inflated = deflated.pipeThrough(new DecompressionStream('deflate-raw'));
  return readPageData(new Uint8Array(await new Response(inflated).arrayBuffer()));
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}
