/** Renders that are blocked before they publish, or refused by the database. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Db } from "../../src/store/db.ts";

/** Runs `work` while a render, once its files are written, cannot publish them; it continues afterwards. */
export async function whileNoRenderCanFinish<T>(db: Db, work: () => Promise<T>): Promise<T> {
  return db.tx(async (tx) => {
    await tx.execute({ text: "lock table feed_files in share mode", values: [] });
    return work();
  });
}

/** Resolves when a render waits for the lock of `whileNoRenderCanFinish`. */
export async function renderIsStuck(db: Db): Promise<void> {
  const text = `
    select 1 from pg_locks
     where not granted and relation = (current_schema() || '.feed_files')::regclass`;
  while ((await db.query({ text, values: [] })).length === 0) await nextTurn();
}

/** From now on every render fails at its last step, for a reason that must not appear outside. */
export async function failRenders(db: Db, reason: string): Promise<void> {
  await db.execute({
    text: `alter table feed_files add constraint ${reason} check (false) not valid`,
    values: [],
  });
}

export async function allowRenders(db: Db, reason: string): Promise<void> {
  await db.execute({ text: `alter table feed_files drop constraint ${reason}`, values: [] });
}
