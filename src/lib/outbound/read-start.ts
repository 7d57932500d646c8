/** The first bytes of an answer. Its status has arrived, so a body that breaks off is no failure. */
export async function readStart(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= maxBytes) break;
    }
  } catch {
    // What has arrived is enough.
  }
  return Buffer.concat(chunks).subarray(0, maxBytes);
}
