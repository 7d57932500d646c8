/**
 * API keys: `sw_`, a handle of 12 characters that finds the row, `_`, and 43 characters of base62, which are 256 bits.
 * Plain SHA-256 is enough for the hash: 256 random bits cannot be guessed.
 */
import { createHash } from "node:crypto";
import { randomBase62 } from "./id.ts";

const SHAPE = /^sw_([0-9A-Za-z]{12})_[0-9A-Za-z]{43}$/;

export function newKey(): { readonly text: string; readonly handle: string } {
  const handle = randomBase62(12);
  return { text: `sw_${handle}_${randomBase62(43)}`, handle };
}

export const parseKey = (text: string): string | undefined => SHAPE.exec(text)?.[1];

export const hashKey = (text: string): Buffer => createHash("sha256").update(text).digest();
