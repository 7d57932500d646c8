/** A value that a program outside proposes for one item. A person decides about it, as about any other proposal. */
import { findCategory } from "../../catalog/google-taxonomy.ts";
import { decodeItem, type Item } from "../../catalog/item.ts";
import type { CatalogSettings } from "../../catalog/settings.ts";
import { PROPOSABLE_FIELDS, type ProposeValue } from "../../contract/propose-value.ts";
import type { Evidence } from "../../enrich/extractors/evidence.ts";
import { CONFIDENCE, draftOf, type ProposalDraft } from "../../enrich/extractors/extractor.ts";
import { proposableField } from "../../enrich/overlays.ts";
import { findQuote } from "../../enrich/quotes.ts";
import type { RuleField } from "../../enrich/rules/fields.ts";
import { isRefusal, setValue } from "../../enrich/rules/write.ts";
import { AppError } from "../../errors.ts";
import { findCatalog } from "../../store/catalogs.ts";
import type { Db, Queries } from "../../store/db.ts";
import { findItemVersions } from "../../store/items.ts";
import { listProposals, type ProposalRow } from "../../store/proposal-lists.ts";
import { lockProposals, type NewProposal, saveProposals } from "../../store/proposals.ts";
import { findVerdicts } from "../../store/verdicts.ts";
import { loadGroup } from "../items/item-view.ts";
import { auditContext } from "../audit/pass.ts";
import { newProposal } from "./new-proposal.ts";

const EXTRACTOR = { id: "mcp", version: 1 };
/** A wrong number sells another product: it must stand in the item. */
const IDENTIFIERS: ReadonlySet<string> = new Set(["gtin", "mpn"]);
/** What a model writes must be marked as such in the feeds, and who calls is one. */
const WRITTEN: ReadonlySet<string> = new Set(["title", "description"]);

/** Stores a pending proposal. The same value again changes nothing that was decided: the answer is the proposal that was. */
export async function proposeValue(db: Db, catalogId: string, proposed: ProposeValue): Promise<ProposalRow> {
  const catalog = await findCatalog(db, catalogId);
  const [row] = await findItemVersions(db, catalogId, [proposed.item_id]);
  if (!catalog || !row)
    throw new AppError("not_found", `This catalog has no item ${shown(proposed.item_id)}.`);
  const item = decodeItem(row.body);
  const draft = checkedDraft(item, proposed, catalog.settings);
  const proposal = newProposal(
    {
      draft,
      item,
      group: await loadGroup(db, catalogId, item),
      by: { isGenerated: WRITTEN.has(draft.field), note: proposed.reason },
    },
    {
      source: decodeItem(row.source),
      siblingBody: null,
      verdict: (await findVerdicts(db, catalogId, [item.id])).get(item.id),
    },
    { audit: await auditContext(db, catalog, new Date()), catalog },
  );
  if (!proposal)
    throw new AppError("invalid_request", `The item has this ${draft.field} already: nothing to propose.`);
  return db.tx(async (tx) => {
    await lockProposals(tx, catalogId);
    const [now] = await findItemVersions(tx, catalogId, [item.id]);
    if (!now?.fingerprint.equals(row.fingerprint))
      throw new AppError("conflict", "The item has just changed. Nothing was stored; read it again.");
    await saveProposals(tx, { catalogId, runId: null }, [proposal]);
    return (await rejectedRow(tx, catalogId, proposal)) ?? savedRow(tx, catalogId, proposal);
  });
}

/** More than one field of an item ever has. */
const MAX_REJECTED = 1_000;

/** The rejection of the same value, whoever has proposed it. */
async function rejectedRow(
  tx: Queries,
  catalogId: string,
  { itemId, field, value }: NewProposal,
): Promise<ProposalRow | undefined> {
  const filter = { itemId, field, state: "rejected", limit: MAX_REJECTED } as const;
  return (await listProposals(tx, catalogId, filter)).find((rejected) => rejected.value === value);
}

async function savedRow(
  tx: Queries,
  catalogId: string,
  { itemId, groupKey }: NewProposal,
): Promise<ProposalRow> {
  const group = groupKey.toString("hex");
  const [row] = await listProposals(tx, catalogId, { itemId, group, limit: 1 });
  if (!row) throw new AppError("internal", "The proposal was not stored.");
  return row;
}

function checkedDraft(item: Item, proposed: ProposeValue, settings: CatalogSettings): ProposalDraft {
  const { value, evidence: quotes } = proposed;
  const field = PROPOSABLE_FIELDS.includes(proposed.field) ? proposableField(proposed.field) : undefined;
  if (!field) throw new AppError("invalid_request", `${shown(proposed.field)} cannot be proposed.`);
  const evidence = quotes.map((quote): Evidence => {
    const found = findQuote(item, quote);
    if (found) return found;
    throw new AppError(
      "invalid_request",
      `${quote.field} of the item does not have the text ${shown(quote.text)}. Quote it character by character, in whole words.`,
    );
  });
  const draft = draftOf(EXTRACTOR, item, field.name, { value, evidence, confidence: CONFIDENCE.uncertain });
  if (!draft)
    throw new AppError(
      "invalid_request",
      `The value is not plain text as ${field.name} can have it: without HTML, line breaks outside descriptions, or spaces at the ends; at most 100 characters except titles and descriptions.`,
    );
  const refused = refusalOf(field, value, { item, settings });
  if (refused !== undefined) throw new AppError("invalid_request", refused);
  if (IDENTIFIERS.has(field.name) && !draft.isGrounded)
    throw new AppError(
      "invalid_request",
      `A ${field.name} must stand in the texts of the item itself. Quote where it does.`,
    );
  return draft;
}

type Checked = { readonly item: Item; readonly settings: CatalogSettings };

/** Why the item cannot have the value. Sources may have categories that we do not know; proposals may not. */
function refusalOf(field: RuleField, value: string, { item, settings }: Checked): string | undefined {
  const written = setValue(field, value, settings)(item);
  if (isRefusal(written)) return written.refused;
  if (field.name !== "google_category" || findCategory(value)) return undefined;
  return `Google's taxonomy has no category ${shown(value)}. Send an id of it.`;
}

const LONGEST_SHOWN = 80;
const shown = (text: string): string =>
  JSON.stringify(text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN).toWellFormed()}…` : text);
