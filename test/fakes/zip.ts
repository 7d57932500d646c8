/** Writes valid and invalid zip archives (PKWARE APPNOTE 4.3): just what tests of a zip reader need. */
import { crc32, deflateRawSync } from "node:zlib";

export type ZipTricks = {
  readonly isStored?: boolean;
  /** Sets the flag; the bytes are as they were. */
  readonly isEncrypted?: boolean;
  /** The wrong size that the archive states for each entry. */
  readonly claimedSize?: number;
};

export function zipOf(files: Readonly<Record<string, string | Uint8Array>>, tricks: ZipTricks = {}): Buffer {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(files)) {
    const { local, central } = entry(name, Buffer.from(content), offset, tricks);
    locals.push(local);
    centrals.push(central);
    offset += local.length;
  }
  const directory = Buffer.concat(centrals);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(centrals.length, 8);
  end.writeUInt16LE(centrals.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}

function entry(
  name: string,
  content: Buffer,
  offset: number,
  tricks: ZipTricks,
): { local: Buffer; central: Buffer } {
  const data = tricks.isStored === true ? content : deflateRawSync(content);
  // Version needed, flags, method, time, date, checksum, packed size, size, length of the name: in both headers.
  const shared = Buffer.alloc(26);
  shared.writeUInt16LE(20, 0);
  shared.writeUInt16LE(tricks.isEncrypted === true ? 0x801 : 0x800, 2);
  shared.writeUInt16LE(tricks.isStored === true ? 0 : 8, 4);
  shared.writeUInt32LE(crc32(content), 10);
  shared.writeUInt32LE(data.length, 14);
  shared.writeUInt32LE(tricks.claimedSize ?? content.length, 18);
  shared.writeUInt16LE(Buffer.byteLength(name), 22);
  const local = Buffer.concat([signature(0x04034b50), shared, Buffer.from(name), data]);
  const place = Buffer.alloc(14);
  place.writeUInt32LE(offset, 10);
  const central = Buffer.concat([signature(0x02014b50), Buffer.of(20, 0), shared, place, Buffer.from(name)]);
  return { local, central };
}

function signature(code: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(code);
  return bytes;
}
