/**
 * Collects what a writer of files for other tools yields.
 */
export async function rendered(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array | string>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const chunk of chunks) all.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(all);
}
