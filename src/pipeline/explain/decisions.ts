/** What people have decided about an item: approved proposals, and the mappings of category paths. */
import type { ExplainedField } from "../../contract/explain.ts";
import type { Overlay } from "../../enrich/overlays.ts";
import { withSnakeCase } from "../../lib/snake-case.ts";
import type { Queries } from "../../store/db.ts";
import { findKey } from "../../store/keys.ts";
import { listProposals, type ProposalRow } from "../../store/proposal-lists.ts";
import { listCategoryMappings } from "../../store/rules.ts";

type Approved = NonNullable<ExplainedField["approved"]>;
type Mapping = NonNullable<ExplainedField["mapping"]>;
type Decider = Approved["decided_by"];

export type Decisions = {
  readonly overlays: readonly Overlay[];
  readonly ofOverlay: (id: string) => Omit<Approved, "before" | "after" | "refused"> | null;
  readonly ofPath: (path: string) => Pick<Mapping, "decided_at" | "decided_by">;
};

/** More than one item ever has. */
const MAX_PROPOSALS = 1_000;

export async function loadDecisions(db: Queries, catalogId: string, itemId: string): Promise<Decisions> {
  const proposals = await listProposals(db, catalogId, { itemId, limit: MAX_PROPOSALS });
  const approved = proposals.filter(isInForce).toSorted((a, b) => (a.field < b.field ? -1 : 1));
  const mappings = new Map((await listCategoryMappings(db, catalogId)).map((one) => [one.path, one]));
  const keyIds = [...approved, ...mappings.values()].flatMap(({ keyId }) => keyId ?? []);
  const names = await keyNames(db, keyIds);
  const decider = (keyId: string | null): Decider =>
    keyId === null ? null : { key_id: keyId, name: names.get(keyId) ?? null };
  const byId = new Map(approved.map((proposal) => [proposal.id, proposal]));
  return {
    // A conflicted value is in force like an approved one: which variant has the evidence makes no difference here.
    overlays: approved.map((proposal) => ({ ...proposal, siblingBody: null })),
    ofOverlay: (id) => {
      const proposal = byId.get(id);
      return proposal ? approvedBody(proposal, decider(proposal.keyId)) : null;
    },
    ofPath: (path) => {
      const { decidedAt = new Date(0), keyId = null } = mappings.get(path) ?? {};
      return { decided_at: decidedAt.toISOString(), decided_by: decider(keyId) };
    },
  };
}

type InForce = ProposalRow & { readonly state: "approved" | "conflicted" };

const isInForce = (proposal: ProposalRow): proposal is InForce =>
  proposal.state === "approved" || proposal.state === "conflicted";

function approvedBody(
  { id: proposalId, state, extractor, version, isGenerated, decidedAt, reason }: InForce,
  decidedBy: Decider,
): Omit<Approved, "before" | "after" | "refused"> {
  return withSnakeCase({ proposalId, state, extractor, version, isGenerated, decidedAt, decidedBy, reason });
}

async function keyNames(db: Queries, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for (const id of new Set(ids)) {
    const key = await findKey(db, id);
    if (key) names.set(id, key.name);
  }
  return names;
}
