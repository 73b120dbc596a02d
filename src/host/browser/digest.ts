/**
 * SHA-256 of texts in browsers: their own is asynchronous, and missing where a page is not from a secure place.
 */
import { sha256 as digestOf } from '@noble/hashes/sha2.js';
import { base64Text, utf8Bytes } from '../../codec/bytes.js';

export function sha256(text: string): string {
  return base64Text(digestOf(utf8Bytes(text)));
}
