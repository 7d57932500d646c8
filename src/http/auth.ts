/**
 * Authentication and scopes. A request has an API key, or the session cookie of a browser that represents one or more
 * keys. A catalog's key can use that catalog alone; an operator key names the catalog in a header. All authentication
 * failures look the same, so that no caller learns which keys exist.
 */
import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import { AppError } from "../errors.ts";
import { hashKey, parseKey } from "../lib/api-key.ts";
import { hashToken } from "../setup/sessions.ts";
import { findCatalogBySlug } from "../store/catalogs.ts";
import type { Db } from "../store/db.ts";
import { findLiveKey, recordKeyUse } from "../store/keys.ts";
import type { LiveKey } from "../store/keys.ts";
import { listSessionKeys } from "../store/sessions.ts";

/** `admin` is for the catalog as a whole, `operator` for the installation; neither includes `read` or `write`. */
export type KeyScope = "read" | "write" | "admin" | "operator";
export type Caller = {
  readonly key: LiveKey;
  /** Empty if the call names none: enough for calls of the installation alone. */
  readonly catalogId: string;
  /** All keys of the caller: more than one only in a session. */
  readonly keys: readonly LiveKey[];
  /** The hash of the session, if the call was made in one. */
  readonly sessionHash?: Buffer;
};

/** Names the catalog of a call, for callers that can use several. */
const CATALOG_HEADER = "shelfwire-catalog";
/** Other sites' pages can send a cookie along, but not this header. */
const CONSOLE_HEADER = "x-shelfwire-console";
export const SESSION_COOKIE = "shelfwire_session";

/** Compared if there is no such key, so that both cases take the same time. */
const NO_HASH = Buffer.alloc(32);

export async function authenticate(db: Db, request: FastifyRequest): Promise<Caller> {
  const { authorization } = request.headers;
  const token = authorization === undefined ? sessionToken(request) : undefined;
  const keys =
    token === undefined ? [await findPresentedKey(db, authorization)] : await keysOfSession(db, token);
  const caller = await chooseCatalog(db, keys, request.headers[CATALOG_HEADER]);
  // At most one write per minute, so that a busy key does not cause row contention.
  if (caller.key.isUseUnnoted) await recordKeyUse(db, caller.key.id);
  return token === undefined ? caller : { ...caller, sessionHash: hashToken(token) };
}

/** The live key in an Authorization header or in a sign-in form. */
export async function findPresentedKey(db: Db, authorization: string | undefined): Promise<LiveKey> {
  const { text, handle } = presentedKey(authorization);
  const key = await findLiveKey(db, handle);
  const isValid = timingSafeEqual(hashKey(text), key?.secretHash ?? NO_HASH);
  if (!key || !isValid) throw new AppError("unauthorized", "This API key is unknown, revoked or expired.");
  return key;
}

function presentedKey(header: string | undefined): { readonly text: string; readonly handle: string } {
  const text = /^Bearer +(\S+)$/i.exec(header ?? "")?.[1] ?? "";
  const handle = parseKey(text);
  if (handle !== undefined) return { text, handle };
  throw new AppError(
    "unauthorized",
    text === ""
      ? "Send an API key: Authorization: Bearer sw_… (shelfwire key create makes one)."
      : "This is not an API key. Keys begin with sw_: copy the whole key.",
  );
}

/**
 * Values of `Sec-Fetch-Site` for requests of our own pages and of the user. Old browsers and other clients do not send
 * the header.
 */
const OWN_SITES: ReadonlySet<unknown> = new Set([undefined, "same-origin", "none"]);

/** The token in the session cookie, if the request comes from a page of the console. */
export function sessionToken({ headers }: FastifyRequest): string | undefined {
  if (headers[CONSOLE_HEADER] === undefined) return undefined;
  if (!OWN_SITES.has(headers["sec-fetch-site"]))
    throw new AppError(
      "unauthorized",
      "The call comes from a page of another site, which cannot use the console's session. Send an API key: Authorization: Bearer sw_….",
    );
  return new RegExp(`(?:^|;\\s*)${SESSION_COOKIE}=([0-9A-Za-z]{43})(?:;|$)`).exec(headers.cookie ?? "")?.[1];
}

/** Returns whether the request was sent by a browser that is signed in to the console. */
export const isFromConsole = ({ headers }: Pick<IncomingMessage, "headers">): boolean =>
  headers[CONSOLE_HEADER] !== undefined || (headers.cookie ?? "").includes(`${SESSION_COOKIE}=`);

async function keysOfSession(db: Db, token: string): Promise<readonly LiveKey[]> {
  const keys = await listSessionKeys(db, hashToken(token));
  if (keys.length === 0) throw new AppError("unauthorized", "The session has ended. Sign in again.");
  return keys;
}

/** The catalog that the header names; without it, that of the only key. */
async function chooseCatalog(
  db: Db,
  keys: readonly LiveKey[],
  named: string | readonly string[] | undefined,
): Promise<Caller> {
  const [first] = keys;
  const operator = keys.find(({ catalogId }) => catalogId === null);
  if (!first) throw new AppError("unauthorized", "No API key was found.");
  if (named === undefined)
    return callerOf(operator ?? first, keys.length === 1 ? first.catalogId : null, keys);
  // An operator key may do everything that a catalog's key may.
  const own = operator ? undefined : keys.find(({ slug }) => slug === named);
  if (own) return callerOf(own, own.catalogId, keys);
  const catalog = operator && (await findCatalogBySlug(db, String(named)));
  if (catalog) return callerOf(operator, catalog.id, keys);
  throw new AppError(
    "not_found",
    `The header Shelfwire-Catalog names a catalog that this key cannot use: ${String(named).slice(0, 100)}.`,
  );
}

const callerOf = (key: LiveKey, catalogId: string | null, keys: readonly LiveKey[]): Caller => ({
  key,
  catalogId: catalogId ?? "",
  keys,
});

export function requireScope({ key: { scopes } }: Caller, scope: KeyScope): void {
  if (scopes.includes(scope)) return;
  throw new AppError(
    "insufficient_scope",
    `This call needs a key with the scope "${scope}"; this one has: ${scopes.join(", ")}.`,
  );
}

export function requireCatalog({ catalogId }: Caller): void {
  if (catalogId !== "") return;
  throw new AppError(
    "invalid_request",
    "Name the catalog of this call by its slug, in the header Shelfwire-Catalog.",
  );
}
