/**
 * The golden vectors of `docs/webhooks/vectors.json`, which other languages are checked against as well. They were made
 * by another implementation (Python's hmac) and are never written by this one.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";

export const VECTORS_PATH = join(import.meta.dirname, "..", "..", "docs", "webhooks", "vectors.json");

export type Vector = {
  readonly name: string;
  readonly secret: string;
  readonly header: string;
  readonly now: number;
  /** Absent where the bytes are not UTF-8. */
  readonly body?: string;
  readonly body_base64: string;
  readonly valid: boolean;
  readonly code: string | null;
};

export async function readVectors(): Promise<readonly Vector[]> {
  const { vectors } = JSON.parse(await readFile(VECTORS_PATH, "utf8")) as { vectors: readonly Vector[] };
  return vectors;
}
