import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  base64Bytes,
  base64Text,
  beginsWith,
  hexText,
  indexOfBytes,
  isEqual,
  joined,
  latin1Bytes,
  latin1Text,
  utf8Bytes,
  utf8Text,
} from '../../src/codec/bytes.js';

const ALL = Uint8Array.from({ length: 256 }, (_, byte) => byte);
const bytes = fc.uint8Array({ maxLength: 100 });
/** Few values, so that parts are found often. */
const similar = fc.uint8Array({ max: 2, maxLength: 40 });

function shared(bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}

describe('texts', () => {
  test('latin1 keeps all bytes, those from 0x80 to 0x9f too', () => {
    expect([...latin1Text(ALL)].map((character) => character.charCodeAt(0))).toEqual([...ALL]);
    expect(latin1Bytes(latin1Text(ALL))).toEqual(ALL);
    expect(latin1Text(ALL, 0x7e, 0x82)).toBe('~\x7f\x80\x81');
    expect(latin1Text(ALL, 0xff, 0x200)).toBe('\xff');
  });

  test('of any bytes are those that Node makes', () => {
    fc.assert(
      fc.property(bytes, fc.nat(50), (bytes, start) => {
        const part = Buffer.from(bytes.subarray(start));
        expect(latin1Text(bytes, start)).toBe(part.toString('latin1'));
        expect(utf8Text(bytes, start)).toBe(part.toString());
        expect(hexText(bytes)).toBe(Buffer.from(bytes).toString('hex'));
        expect(base64Text(bytes)).toBe(Buffer.from(bytes).toString('base64'));
        expect(base64Bytes(base64Text(bytes))).toEqual(bytes);
      }),
    );
  });

  test('of UTF-8 keep a byte order mark', () => {
    expect(utf8Text(utf8Bytes('\ufeffä€😀'))).toBe('\ufeffä€😀');
  });

  test('are read from shared memory, which is copied: browsers decode nothing else', () => {
    expect(utf8Text(shared(utf8Bytes('ä€')))).toBe('ä€');
    const { decode } = TextDecoder.prototype;
    const given: unknown[] = [];
    TextDecoder.prototype.decode = function (input, options) {
      given.push((input as Uint8Array).buffer);
      return decode.call(this, input, options);
    };
    try {
      utf8Text(shared(ALL));
    } finally {
      TextDecoder.prototype.decode = decode;
    }
    expect(given).toEqual([expect.any(ArrayBuffer)]);
  });
});

describe('bytes', () => {
  test('are found where Node finds them', () => {
    fc.assert(
      fc.property(similar, fc.uint8Array({ max: 2, minLength: 1, maxLength: 5 }), fc.nat(40), (bytes, wanted, from) => {
        fc.pre(from < bytes.length);
        expect(indexOfBytes(bytes, wanted, from)).toBe(Buffer.from(bytes).indexOf(wanted, from));
        expect(beginsWith(bytes, wanted)).toBe(bytes.length >= wanted.length && indexOfBytes(bytes, wanted) === 0);
      }),
    );
  });

  test('are compared and joined', () => {
    fc.assert(
      fc.property(similar, similar, (a, b) => {
        expect(isEqual(a, b)).toBe(Buffer.compare(a, b) === 0);
        expect(joined([a, b, a])).toEqual(new Uint8Array(Buffer.concat([a, b, a])));
      }),
    );
  });
});
