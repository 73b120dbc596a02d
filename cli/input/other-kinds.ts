/**
 * Refuses files, folders and addresses from which no trace can be read, and says what they are good for.
 */
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { PtflameError } from '../../src/model/errors.js';
import { firstBytes } from '../../src/perfdata/open-recording.js';
import { isGzip } from '../../src/perfdata/recognize.js';
import { openTraceFile } from '../../src/pipeline/open-text.js';
import { KIND_BYTES, type OtherKind, otherKindOf } from '../../src/pipeline/other-kinds.js';
import { shellWords } from '../../src/render/visible-text.js';
import { statOrNull } from '../output/refuse-overwriting.js';

/** @throws PtflameError INPUT_KIND for what is no input of any command that reads traces */
export async function refuseOtherKind(path: string): Promise<void> {
  const other = path === '-' ? null : await otherKind(path);
  if (other !== null) throw new PtflameError('INPUT_KIND', `${path} is ${other.what}`, { hint: other.hint });
}

/** Returns null for recordings, traces, profiles, and anything that is not known. Opens no pipes. */
export async function otherKind(path: string): Promise<OtherKind | null> {
  const stats = statOrNull(path);
  if (stats === null) return address(path) ?? namedLikeOutput(path);
  if (stats.isDirectory()) return isFolderOfTables(path) ? folderOfTables(path) : null;
  const head = stats.isFile() ? await beginning(path, KIND_BYTES) : { bytes: new Uint8Array(), isPacked: false };
  return otherKindOf(head.bytes, path, head.isPacked);
}

function address(path: string): OtherKind | null {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(path)) return null;
  const command = /^https?:/i.test(path)
    ? shellWords(['curl', '-fLo', basename(path) || 'perf.data', path])
    : 'with the tool that knows such addresses';
  return { what: 'an address, and ptflame reads files', hint: `download the file first, ${command}` };
}

/** `render trace.ptf flame.html`. */
function namedLikeOutput(path: string): OtherKind | null {
  if (!/\.(?:html?|svg|folded|csv|pftrace|parquet|pb\.gz)$/i.test(path)) return null;
  return { what: 'no file that exists', hint: `to write it, put -o before its name: -o ${shellWords([path])}` };
}

/** What `ptflame export` wrote. */
export function isFolderOfTables(path: string): boolean {
  return ['recordings', 'functions', 'paths'].every((table) => existsSync(join(path, table)));
}

function folderOfTables(path: string): OtherKind {
  const name = shellWords([path]);
  return {
    what: 'a folder of tables that ptflame export wrote',
    hint: `ptflame fleet ${name} lists its functions; ptflame merge ${name} -o fleet.html draws them`,
  };
}

/** What a file begins with, decompressed if gzip compressed it; nothing if that fails, as reading it as a trace says why. */
export async function beginning(path: string, length: number): Promise<{ bytes: Uint8Array; isPacked: boolean }> {
  const first = firstBytes(path);
  const isPacked = isGzip(first);
  if (!isPacked && first.length >= length) return { bytes: first.subarray(0, length), isPacked };
  const pieces: Uint8Array[] = [];
  let total = 0;
  try {
    const { bytes } = await openTraceFile(path);
    for await (const piece of bytes) {
      pieces.push(piece.slice());
      total += piece.length;
      if (total >= length) break;
    }
  } catch {
    if (!isPacked) return { bytes: first, isPacked };
  }
  return { bytes: Buffer.concat(pieces).subarray(0, length), isPacked };
}
