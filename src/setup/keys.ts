/** Issues and revokes API keys. A key is returned only when it is created. */
import { AppError, invalidRequest } from "../errors.ts";
import { hashKey, newKey } from "../lib/api-key.ts";
import { newId } from "../lib/id.ts";
import { withSnakeCase } from "../lib/snake-case.ts";
import type { Queries } from "../store/db.ts";
import { countOtherAdminKeys, findKey, insertKey, revokeKey } from "../store/keys.ts";
import type { KeyRow } from "../store/keys.ts";
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
    throw invalidRequest("A key must expire in the future. Choose a later time, or none.", "/expires_at");
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

export type KeyToRevoke = {
  readonly catalogId: string;
  readonly id: string;
  /** Without it the last key with the scope `admin` is refused. */
  readonly allowLastAdmin: boolean;
};

/** Revokes a key of this catalog. */
export async function revokeKeyOf(
  tx: Queries,
  { catalogId, id, allowLastAdmin }: KeyToRevoke,
): Promise<void> {
  const others = await countOtherAdminKeys(tx, catalogId, id);
  const key = await findKey(tx, id);
  if (key?.catalogId !== catalogId || key.revokedAt !== null)
    throw new AppError("not_found", `This catalog has no key ${id} that is not revoked.`);
  const isLastAdmin = others === 0 && key.scopes.includes("admin") && keyState(key) === "live";
  if (!isLastAdmin || allowLastAdmin) return void (await revokeKey(tx, id));
  throw new AppError(
    "conflict",
    'This is the last key with the scope "admin", so it was not revoked: no key could manage keys and settings any more. Create another one first, or send "allow_last_admin": true; then only `shelfwire key create` on the server can make one.',
  );
}

/** Revoked keys count as revoked, whenever they would have expired. */
function keyState({
  revokedAt,
  expiresAt,
}: Pick<KeyRow, "revokedAt" | "expiresAt">): "live" | "expired" | "revoked" {
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && expiresAt.getTime() <= Date.now() ? "expired" : "live";
}

/** As the API and the commands show it. */
export function describeKey(row: KeyRow) {
  const { id, name, handle, scopes, createdAt, expiresAt, lastUsedAt } = row;
  const key = `sw_${handle}_…`;
  return withSnakeCase({ id, name, key, scopes, state: keyState(row), createdAt, expiresAt, lastUsedAt });
}
