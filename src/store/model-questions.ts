/** The last questions that a model was asked about items. */
import type { Queries } from "./db.ts";
import { sql } from "./sql.ts";

/** Finds the last question of each item. */
export async function findQuestions(
  db: Queries,
  catalogId: string,
  itemIds: readonly string[],
): Promise<ReadonlyMap<string, Buffer>> {
  const rows = await db.query<{ itemId: string; question: Buffer }>(sql`
    select item_id, question from model_questions
     where catalog_id = ${catalogId} and item_id = any (${itemIds}::text[])`);
  return new Map(rows.map(({ itemId, question }) => [itemId, question]));
}

export type AskedQuestion = { readonly itemId: string; readonly question: Buffer };

export async function saveQuestions(
  db: Queries,
  catalogId: string,
  asked: readonly AskedQuestion[],
): Promise<void> {
  await db.execute(sql`
    insert into model_questions (catalog_id, item_id, question)
    select ${catalogId}::uuid, id, decode(question, 'hex')
      from unnest(${asked.map(({ itemId }) => itemId)}::text[],
                  ${asked.map(({ question }) => question.toString("hex"))}::text[]) as a (id, question)
    on conflict (catalog_id, item_id) do update set question = excluded.question`);
}

/** Deletes questions about items that no longer exist. */
export async function deleteLostQuestions(tx: Queries, catalogId: string): Promise<void> {
  await tx.execute(sql`
    delete from model_questions q where catalog_id = ${catalogId}
       and not exists (select from items i where i.catalog_id = q.catalog_id and i.id = q.item_id)`);
}
