/**
 * Authentication and scopes. A key belongs to exactly one catalog, the only one a request can access. All
 * authentication failures look the same, so that no caller learns which keys exist.
 */
import { timingSafeEqual } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { AppError } from "../errors.ts";
import type { Db } from "../store/db.ts";
import { findLiveKey, recordKeyUse } from "../store/keys.ts";
import { hashKey, parseKey } from "../lib/api-key.ts";

/** `admin` is for the catalog as a whole; it includes neither of the others. */
export type Scope = "read" | "write" | "admin";
export type Caller = {
  readonly keyId: string;
  readonly keyName: string;
  readonly keyHandle: string;
  readonly catalogId: string;
  readonly scopes: readonly string[];
};

/** Compared if there is no such key, so that both cases take the same time. */
const NO_HASH = Buffer.alloc(32);

export async function authenticate(db: Db, request: FastifyRequest): Promise<Caller> {
  const { text, handle } = presentedKey(request.headers.authorization);
  const key = await findLiveKey(db, handle);
  const isValid = timingSafeEqual(hashKey(text), key?.secretHash ?? NO_HASH);
  if (!key || !isValid) throw new AppError("unauthorized", "This API key is unknown, revoked or expired.");
  // At most one write per minute, so that a busy key does not cause row contention.
  if (key.isUseUnnoted) await recordKeyUse(db, key.id);
  const { id: keyId, name: keyName, handle: keyHandle, catalogId, scopes } = key;
  return { keyId, keyName, keyHandle, catalogId, scopes };
}

function presentedKey(header: string | undefined): { readonly text: string; readonly handle: string } {
  const text = /^Bearer +(\S+)$/i.exec(header ?? "")?.[1] ?? "";
  const handle = parseKey(text);
  if (handle !== undefined) return { text, handle };
  throw new AppError(
    "unauthorized",
    "Send an API key: Authorization: Bearer sw_… (shelfwire key create makes one).",
  );
}

export function requireScope({ scopes }: Caller, scope: Scope): void {
  if (scopes.includes(scope)) return;
  throw new AppError(
    "insufficient_scope",
    `This call needs a key with the scope "${scope}"; this one has: ${scopes.join(", ")}.`,
  );
}
