/** A proposed value as it is stored: with what it would replace, the finding that it resolves, and the points that it gains. */
import { hash } from "node:crypto";
import type { AuditContext } from "../../audit/audit-context.ts";
import { pointsGained } from "../../audit/audit-item.ts";
import type { Item, ItemGroup } from "../../catalog/item.ts";
import type { CatalogSettings } from "../../catalog/settings.ts";
import type { ProposalDraft } from "../../enrich/extractors/extractor.ts";
import { basisHash } from "../../enrich/basis.ts";
import { proposableField } from "../../enrich/overlays.ts";
import { NO_SOURCE } from "../../enrich/rules/fields.ts";
import { isRefusal, setValue } from "../../enrich/rules/write.ts";
import { newId } from "../../lib/id.ts";
import type { Catalog } from "../../store/catalogs.ts";
import type { NewProposal } from "../../store/proposals.ts";

export type Found = {
  readonly draft: ProposalDraft;
  readonly item: Item;
  readonly group: ItemGroup;
  /** Who proposed it, if that is not an extractor. */
  readonly by?: Partial<Pick<NewProposal, "isGenerated" | "note" | "promptHash">>;
};

type Stored = {
  /** The item as the source has it. */
  readonly source: Item;
  /** The same of the variant that has the evidence. */
  readonly siblingBody: string | null;
  readonly verdict: Buffer | null | undefined;
};

type Context = { readonly audit: AuditContext; readonly catalog: Catalog };

/** Undefined if the checks refuse the value, or if the item has it already. */
export function newProposal(
  { draft, item, group, by }: Found,
  { source, siblingBody, verdict }: Stored,
  { audit, catalog }: Context,
): NewProposal | undefined {
  const changed = proposedItem(item, draft, catalog.settings);
  const field = proposableField(draft.field);
  if (!changed || !field) return undefined;
  const options = {
    ...(group.isWhole && { siblings: group.items }),
    ...(verdict !== undefined && { verdict }),
  };
  const { points, rule } = pointsGained(item, changed, audit, options);
  const { itemId, value, extractor, version, confidence, isGrounded } = draft;
  const evidence = draft.evidence.map(({ itemId: sibling, ...span }) => ({
    ...span,
    ...(sibling !== undefined && { item_id: sibling }),
  }));
  return {
    id: newId(),
    itemId,
    field: field.name,
    value,
    current: currentText(item, draft.field),
    sourceHash: basisHash(source, field, { evidence, siblingBody }),
    extractor,
    version,
    evidence,
    siblingId: siblingOf(draft),
    confidence,
    isGrounded,
    isGenerated: false,
    rule,
    gain: points,
    groupKey: groupKeyOf(draft),
    ...by,
  };
}

/** The variant that has the evidence, if it is another one. An extractor quotes one at most. */
export const siblingOf = ({ evidence }: Pick<ProposalDraft, "evidence">): string | null =>
  evidence.find(({ itemId }) => itemId !== undefined)?.itemId ?? null;

/** The item with the proposed value; undefined if its checks refuse it, or if the item has it already. */
function proposedItem(
  item: Item,
  { field: name, value }: Pick<ProposalDraft, "field" | "value">,
  settings: CatalogSettings,
): Item | undefined {
  const field = proposableField(name);
  const written = field && setValue(field, value, settings)(item);
  return written === undefined || isRefusal(written) || written === item ? undefined : written;
}

export function currentText(item: Item, name: string): string | null {
  const text = proposableField(name)?.read(item, NO_SOURCE);
  return typeof text === "string" ? text : (text?.join(", ") ?? null);
}

const KEY_BYTES = 16;

/** Equal for equal values of the same field by the same extractor. */
export function groupKeyOf({
  extractor,
  field,
  value,
}: Pick<ProposalDraft, "extractor" | "field" | "value">): Buffer {
  return hash("sha256", JSON.stringify([extractor, field, value]), "buffer").subarray(0, KEY_BYTES);
}
