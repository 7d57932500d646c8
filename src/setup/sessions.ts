/**
 * Signing in to the console. A session is a cookie that represents one or more API keys: those that the user entered,
 * or the operator key behind sign-in links. It ends after a month, at sign-out, or when its keys are revoked.
 */
import { createHash } from "node:crypto";
import { newId, randomBase62 } from "../lib/id.ts";
import { hashKey, newKey } from "../lib/api-key.ts";
import type { CreatedKey } from "./keys.ts";
import type { Db, Queries } from "../store/db.ts";
import { findOperatorKey, insertOperatorKey } from "../store/keys.ts";
import {
  addSessionKey,
  insertSession,
  insertSignInCode,
  moveSession,
  takeSignInCode,
} from "../store/sessions.ts";

export const SESSION_LIFETIME_S = 30 * 86_400;
export const SIGN_IN_LIFETIME_S = 10 * 60;
/** Letters and digits: 256 bits. */
const TOKEN_LENGTH = 43;

/** Scopes of an operator key: everything in every catalog, and catalogs themselves. */
const OPERATOR_SCOPES = ["read", "write", "admin", "operator"] as const;
/** The operator key that sessions from sign-in links use. Revoking it ends them all. */
const SIGN_IN_KEY = "sign-in links";

export const hashToken = (token: string): Buffer => createHash("sha256").update(token).digest();

/**
 * The address of a sign-in link, which opens a catalog or the list of them. The code is in the fragment, which browsers
 * send to no server.
 */
export async function createSignInLink(db: Queries, baseUrl: string, slug?: string): Promise<string> {
  const code = randomBase62(TOKEN_LENGTH);
  await insertSignInCode(db, hashToken(code), SIGN_IN_LIFETIME_S);
  return `${baseUrl}/sign-in${slug === undefined ? "" : `?catalog=${slug}`}#${code}`;
}

/** The key of a valid code. A code works once. */
export async function redeemSignInCode(db: Db, code: string): Promise<string | undefined> {
  return db.tx(async (tx) => {
    if (!(await takeSignInCode(tx, hashToken(code)))) return undefined;
    return (await findOperatorKey(tx, SIGN_IN_KEY)) ?? (await createOperatorKey(tx, SIGN_IN_KEY)).id;
  });
}

export async function createOperatorKey(
  db: Queries,
  name: string,
  expiresAt: Date | null = null,
): Promise<CreatedKey> {
  const { text, handle } = newKey();
  const id = newId();
  await insertOperatorKey(db, {
    id,
    name,
    handle,
    secretHash: hashKey(text),
    scopes: OPERATOR_SCOPES,
    expiresAt,
  });
  return { id, key: text, scopes: OPERATOR_SCOPES };
}

/**
 * Adds the key to the session, or starts one. The token is always new, so that one which somebody else knows, or has
 * set in this browser, does not get the rights of the new key.
 */
export async function signIn(db: Db, keyId: string, current: string | undefined): Promise<string> {
  return db.tx(async (tx) => {
    const token = randomBase62(TOKEN_LENGTH);
    const tokenHash = hashToken(token);
    await insertSession(tx, { tokenHash, lifetimeS: SESSION_LIFETIME_S });
    if (current !== undefined) await moveSession(tx, hashToken(current), tokenHash);
    await addSessionKey(tx, tokenHash, keyId);
    return token;
  });
}
