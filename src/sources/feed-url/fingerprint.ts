/**
 * A file's hash, as far as its content goes. A gzip stream made anew for every request differs in the time its
 * header bears (RFC 1952, bytes 4 to 7) and in nothing else; that time is left out.
 */
import type { Hash } from "node:crypto";

export type Fingerprint = {
  readonly add: (chunk: Uint8Array) => void;
  readonly isZip: () => boolean;
  readonly digest: () => string;
};

const HEADER_BYTES = 10;

export function fingerprint(hash: Hash): Fingerprint {
  let head: Uint8Array | null = new Uint8Array();
  let isZip = false;

  function flush(): void {
    if (head === null) return;
    const first = Buffer.from(head);
    isZip = first.subarray(0, 4).toString("hex") === "504b0304";
    // A file may end inside the header; `fill` refuses an end beyond the buffer.
    if (first[0] === 0x1f && first[1] === 0x8b) first.subarray(4, 8).fill(0);
    hash.update(first);
    head = null;
  }

  return {
    add: (chunk) => {
      if (head === null) {
        hash.update(chunk);
        return;
      }
      head = Buffer.concat([head, chunk]);
      if (head.length >= HEADER_BYTES) flush();
    },
    isZip: () => isZip,
    digest: () => {
      flush();
      return hash.digest("hex");
    },
  };
}
