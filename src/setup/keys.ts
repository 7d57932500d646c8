/** Creates API keys. A key is returned only when it is created. */
import { AppError, invalidRequest } from "../errors.ts";
import { hashKey, newKey } from "../lib/api-key.ts";
import { newId } from "../lib/id.ts";
import type { Queries } from "../store/db.ts";
import { insertKey } from "../store/keys.ts";
import { CATALOG_LIMITS } from "./limits.ts";

const SCOPES = ["read", "write", "admin"] as const;

export type KeyInput = {
  readonly catalogId: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expiresAt: Date | null;
};
export type CreatedKey = { readonly id: string; readonly key: string; readonly scopes: readonly string[] };

export async function createKey(
  db: Queries,
  { catalogId, name, scopes, expiresAt }: KeyInput,
): Promise<CreatedKey> {
  const unknown = scopes.filter((scope) => !(SCOPES as readonly string[]).includes(scope));
  if (scopes.length === 0 || unknown.length > 0) {
    throw invalidRequest(`Scopes are ${SCOPES.join(", ")}; got: ${scopes.join(", ") || "none"}.`);
  }
  if (expiresAt !== null && !(expiresAt.getTime() > Date.now())) {
    throw invalidRequest("A key must expire in the future.");
  }
  const { text, handle } = newKey();
  const id = newId();
  const sorted = SCOPES.filter((scope) => scopes.includes(scope));
  const row = { id, catalogId, name, handle, secretHash: hashKey(text), scopes: sorted, expiresAt };
  if (!(await insertKey(db, row, CATALOG_LIMITS.keys))) {
    throw new AppError(
      "conflict",
      `This catalog has ${CATALOG_LIMITS.keys} keys, which is the limit. Revoke one first.`,
    );
  }
  return { id, key: text, scopes: sorted };
}
