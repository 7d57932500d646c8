/** Pending values that models and external programs have proposed. */
import type { Queries } from "./db.ts";
import type { NewProposal } from "./proposals.ts";
import { sql } from "./sql.ts";

export type ExternalProposal = Pick<NewProposal, "id" | "itemId" | "field" | "sourceHash" | "evidence">;

/** Lists values that no pass proposes again, in order of id. */
export async function listExternalProposals(
  db: Queries,
  catalogId: string,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<readonly ExternalProposal[]> {
  return db.query<ExternalProposal>(sql`
    select id, item_id, field, source_hash, evidence from proposals
     where catalog_id = ${catalogId} and state = 'pending' and (extractor = 'mcp' or extractor like 'model:%')
       and id > ${after}::uuid
     order by id limit ${limit}`);
}
