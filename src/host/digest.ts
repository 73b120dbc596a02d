/**
 * SHA-256 of texts.
 */
import { createHash } from 'node:crypto';

/** As policies of pages name it: in base64. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
