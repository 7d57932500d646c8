/**
 * Writes the log of who changed what, in the transaction of the change, and formats it for the API and the command
 * line.
 */
import { insertChange } from "../store/changes.ts";
import type { ChangeRow, ChangeTarget, NewChange } from "../store/changes.ts";
import type { Db, Queries } from "../store/db.ts";

/** Who calls, and which call. */
export type Changing = Pick<NewChange, "actor" | "call" | "requestId">;

export type ChangeLog = {
  /** Writes the row in the caller's transaction. */
  readonly record: (tx: Queries, catalogId: string | null, target: ChangeTarget) => Promise<void>;
  /**
   * Wraps the database for a function that opens its own transaction: the row is written at the end of that
   * transaction, unless its result is false or 0, which means that nothing was changed.
   */
  readonly recording: (db: Db, catalogId: string | null, target: ChangeTarget) => Db;
};

export function changeLogOf(changing: Changing): ChangeLog {
  const record: ChangeLog["record"] = async (tx, catalogId, target) =>
    insertChange(tx, { ...changing, catalogId, target });
  return {
    record,
    recording: (db, catalogId, target) => ({
      ...db,
      tx: async (work) =>
        db.tx(async (tx) => {
          const result = await work(tx);
          if (result !== false && result !== 0) await record(tx, catalogId, target);
          return result;
        }),
    }),
  };
}

/** The names of the fields in a call's body or a command's options; those of `settings` one by one. */
export function fieldNames(values: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    if (value === undefined) return [];
    if (name !== "settings" || value === null || typeof value !== "object") return [name];
    return Object.keys(value).map((setting) => `settings.${setting}`);
  });
}

export function changeBody(row: ChangeRow) {
  const { id, at, actor, actorName, keyId, keyHandle, call, targetType, targetId, fields } = row;
  const key = keyHandle === null ? null : `sw_${keyHandle}_…`;
  return {
    id,
    at: at.toISOString(),
    by: { kind: actor, name: actorName, key_id: keyId, key },
    call,
    target: { type: targetType, id: targetId, fields },
    run_id: row.runId,
    run_status: row.runStatus,
    request_id: row.requestId,
  };
}
