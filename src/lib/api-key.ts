/**
 * API keys: `sw_`, 12 characters that name the key, `_`, and 43 characters of base62, which is 256 bits. The name
 * finds the row; the whole text is hashed and compared. Plain SHA-256 is enough: there is nothing to guess in 256
 * random bits, so a slow hash would only slow the honest.
 */
import { createHash } from "node:crypto";
import { randomBase62 } from "./id.ts";

const SHAPE = /^sw_([0-9A-Za-z]{12})_[0-9A-Za-z]{43}$/;

export function newKey(): { readonly text: string; readonly handle: string } {
  const handle = randomBase62(12);
  return { text: `sw_${handle}_${randomBase62(43)}`, handle };
}

/** The handle in a well-formed key. */
export const parseKey = (text: string): string | undefined => SHAPE.exec(text)?.[1];

export const hashKey = (text: string): Buffer => createHash("sha256").update(text).digest();
