/**
 * Encodes text in the encodings that the platform only decodes, for tests: by decoding every byte and every pair of
 * bytes.
 */
const tables = new Map<string, ReadonlyMap<string, readonly number[]>>();

function tableOf(encoding: string): ReadonlyMap<string, readonly number[]> {
  const known = tables.get(encoding);
  if (known) return known;
  const table = new Map<string, readonly number[]>();
  const add = (bytes: readonly number[]): void => {
    const text = new TextDecoder(encoding).decode(Uint8Array.from(bytes));
    if (Array.from(text).length === 1 && text !== "\ufffd" && !table.has(text)) table.set(text, bytes);
  };
  for (let byte = 0; byte < 256; byte += 1) add([byte]);
  if (table.size < 200)
    for (let lead = 0x81; lead < 0xff; lead += 1)
      for (let trail = 0x40; trail < 0xff; trail += 1) add([lead, trail]);
  tables.set(encoding, table);
  return table;
}

export function encode(text: string, encoding: string): Buffer {
  const table = tableOf(encoding);
  return Buffer.from(
    Array.from(text).flatMap((letter) => {
      const bytes = table.get(letter);
      if (!bytes) throw new Error(`${encoding} has no ${letter}`);
      return bytes;
    }),
  );
}
