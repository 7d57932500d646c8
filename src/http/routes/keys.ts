/** /api/v1/keys: the API keys of the catalog. */
import {
  CreatedKeyAnswer,
  CurrentKeyAnswer,
  KeysAnswer,
  NewKey,
  RevokedKeyAnswer,
  RevokeKey,
} from "../../contract/keys.ts";
import type { Key } from "../../contract/keys.ts";
import { DEFAULT_LIMIT, PageQuery } from "../../contract/shapes.ts";
import { AppError } from "../../errors.ts";
import { badCursor, decodeCursor, encodeCursor } from "../../lib/cursor.ts";
import { isUuid } from "../../lib/id.ts";
import { createKey, describeKey, revokeKeyOf } from "../../setup/keys.ts";
import { findKey, pageKeys } from "../../store/keys.ts";
import type { KeyRow } from "../../store/keys.ts";
import type { Queries } from "../../store/db.ts";
import type { Api, ApiDeps } from "../api.ts";
import type { Caller } from "../auth.ts";

export function keyRoutes(api: Api, deps: ApiDeps): void {
  reading(api, deps);
  creating(api, deps);
  revoking(api, deps);
}

function reading(api: Api, { db }: ApiDeps): void {
  api.route({
    method: "GET",
    url: "/keys",
    scope: "admin",
    operationId: "listKeys",
    summary: "List API keys",
    description: "Every key of the catalog, revoked and expired ones too, without the keys themselves.",
    query: PageQuery,
    answers: { 200: KeysAnswer },
    handler: async ({ caller, query: { cursor, limit = DEFAULT_LIMIT } }) => {
      const after = cursor === undefined ? null : idIn(cursor);
      const rows = await pageKeys(db, caller.catalogId, { after, limit: limit + 1 });
      const keys = rows.slice(0, limit);
      const last = rows.length > limit ? keys.at(-1) : undefined;
      const next = last ? encodeCursor([last.id]) : null;
      return { body: { data: { keys: keys.map((key) => keyBody(key, caller)), next_cursor: next } } };
    },
  });

  api.route({
    method: "GET",
    url: "/keys/current",
    scope: "read",
    operationId: "getCurrentKey",
    summary: "Get the key of this call",
    description: "What the key of this call is named and what it may do.",
    answers: { 200: CurrentKeyAnswer },
    handler: async ({ caller }) => ({ body: { data: await viewKey(db, caller.key.id, caller) } }),
  });
}

function creating(api: Api, { db }: ApiDeps): void {
  api.route({
    method: "POST",
    url: "/keys",
    scope: "admin",
    operationId: "createKey",
    summary: "Create an API key",
    description:
      "The key is in this answer and in no other. It may have any scope, also one that the key of this call lacks. A catalog may have 100 keys that work.",
    body: NewKey,
    answers: { 201: CreatedKeyAnswer },
    problems: [409],
    handler: async ({ caller, body: { name, scopes, expires_at: expires = null }, changeLog }) => {
      const { catalogId } = caller;
      const expiresAt = expires === null ? null : new Date(expires);
      const { id, key } = await db.tx(async (tx) => {
        const made = await createKey(tx, { catalogId, name: name.trim(), scopes, expiresAt });
        const fields = made.scopes.map((scope) => `scope ${scope}`);
        await changeLog.record(tx, catalogId, { type: "key", id: made.id, fields });
        return made;
      });
      return { status: 201, body: { data: { ...(await viewKey(db, id, caller)), secret: key } } };
    },
  });
}

function revoking(api: Api, { db }: ApiDeps): void {
  api.route({
    method: "DELETE",
    url: "/keys",
    scope: "admin",
    operationId: "revokeKey",
    summary: "Revoke an API key",
    description:
      "The key stops working at once and for good; open event streams of it end. The last key with the scope `admin` is refused with 409 unless `allow_last_admin` is true.",
    body: RevokeKey,
    answers: { 200: RevokedKeyAnswer },
    problems: [404, 409],
    handler: async ({ caller: { catalogId }, body, changeLog }) => {
      const { id, allow_last_admin: allowLastAdmin = false } = body;
      await db.tx(async (tx) => {
        await revokeKeyOf(tx, { catalogId, id, allowLastAdmin });
        await changeLog.record(tx, catalogId, { type: "key", id, fields: ["revoked"] });
      });
      return { body: { data: { id, revoked: true as const } } };
    },
  });
}

async function viewKey(db: Queries, id: string, caller: Caller): Promise<Key> {
  const key = await findKey(db, id);
  if (!key) throw new AppError("unauthorized", "The catalog of this API key was removed.");
  return keyBody(key, caller);
}

/** Only known scopes are ever stored. */
const keyBody = (row: KeyRow, { key }: Caller): Key =>
  ({ ...describeKey(row), is_current: row.id === key.id }) as Key;

function idIn(cursor: string): string {
  const [id] = decodeCursor(cursor, ["string"]);
  if (typeof id === "string" && isUuid(id)) return id;
  throw badCursor();
}
