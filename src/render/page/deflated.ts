/**
 * Bytes in, one deflated stream out as base64, piece by piece: between two pieces a signal is heard.
 */
import { constants, deflateRawSync } from 'node:zlib';

/** Takes a tenth of a second or two. */
const PIECE_BYTES = 2 ** 20;
/** So far back deflate looks for what is alike. */
const WINDOW_BYTES = 2 ** 15;

/** The text of a raw deflate stream; up to `PIECE_BYTES` the same as in one call. */
export function* deflatedBase64(bytes: Uint8Array): Generator<string> {
  let rest: Uint8Array = new Uint8Array();
  for (let at = 0; at === 0 || at < bytes.length; at += PIECE_BYTES) {
    const joined = Buffer.concat([rest, deflatedPiece(bytes, at)]);
    const whole = joined.length - (joined.length % 3); // so that the texts are one text
    yield joined.toString('base64', 0, whole);
    rest = joined.subarray(whole);
  }
  yield Buffer.from(rest).toString('base64');
}

/** All but the last end at a byte, and leave the stream open. */
function deflatedPiece(bytes: Uint8Array, at: number): Buffer {
  const end = at + PIECE_BYTES;
  const isLast = end >= bytes.length;
  return deflateRawSync(bytes.subarray(at, end), {
    level: 9,
    ...(at > 0 && { dictionary: bytes.subarray(at - WINDOW_BYTES, at) }),
    finishFlush: isLast ? constants.Z_FINISH : constants.Z_SYNC_FLUSH,
  });
}
