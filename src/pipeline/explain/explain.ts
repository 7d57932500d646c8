/** The history of an item's values: source, normalization, category mapping, rules, approved value, and each file. */
import { channelView } from "../../catalog/channel-view.ts";
import { CHANNEL_NAMES, type ChannelName, decodeItem, encodeItem, type Item } from "../../catalog/item.ts";
import type { ExplainedField, ExplainQuery, ItemExplanation } from "../../contract/explain.ts";
import { shown } from "../../enrich/changed-fields.ts";
import { historyOf, itemHistory, type ItemHistory } from "../../enrich/history.ts";
import { fieldNamed, unknownField } from "../../enrich/rules/field-names.ts";
import { RULE_FIELDS, type RuleField, type RuleSource } from "../../enrich/rules/fields.ts";
import { AppError } from "../../errors.ts";
import { type Catalog, findCatalog } from "../../store/catalogs.ts";
import type { Queries } from "../../store/db.ts";
import { findItem, findSourceItems, type ItemRow } from "../../store/items.ts";
import { loadGroup, storedForm } from "../items/item-view.ts";
import { loadEffects } from "../enrich/effects.ts";
import { loadVariants } from "../enrich/variants.ts";
import { publishedItem, type ServedDeps } from "../publication/comparison/served-item.ts";
import { feedContext, type Placed } from "../render/item-in-feeds.ts";
import { remedyFor } from "../render/remedies.ts";
import { fileColumns, type FileColumns } from "../columns/columns.ts";
import { type Decisions, loadDecisions } from "./decisions.ts";
import { fieldInFile } from "./field-in-file.ts";
import { loadOrigin, type NotedField, type SourceOrigin } from "./source-origin.ts";

export async function explainItem(
  deps: ServedDeps,
  catalogId: string,
  writtenId: string,
  { field: name, channel }: ExplainQuery = {},
): Promise<ItemExplanation> {
  const { db } = deps;
  const asked = askedField(name);
  const id = storedForm(writtenId);
  const { catalog, stored, ...known } = await loadKnown(db, catalogId, id);
  const { origin, version } = known;
  const { effective } = known.history;
  const placed = placedIn(await loadGroup(db, catalogId, effective), effective);
  const listed = RULE_FIELDS.filter((field) => isListed(field, known));
  const probed = asked && !listed.includes(asked) ? [...listed, asked] : listed;
  const all = fileColumns(placed, feedContext(catalog), probed);
  const files = all.filter((file) => channel === undefined || file.channel === channel);
  return {
    item_id: id,
    title: effective.title,
    source: origin.source,
    run: origin.run,
    rule_set_version: version,
    is_applied: encodeItem(effective).body === stored.body,
    published: await publishedItem(deps, catalog, placed),
    files: files.map((file) => fileEntry(file, effective)),
    notes: origin.notes.filter(({ field }) => field === null).map(({ note }) => note),
    fields: (asked ? [asked] : listed).map((field) => explainedField(field, known, { files, channel })),
  };
}

function askedField(name: string | undefined): RuleField | undefined {
  const field = name === undefined ? undefined : fieldNamed(name);
  if (name !== undefined && !field) throw new AppError("invalid_request", unknownField(name));
  return field;
}

/** What is known about an item before it is rendered. */
type ExplainedItem = {
  /** As the source has it. */
  readonly source: Item;
  readonly owner: RuleSource;
  readonly origin: SourceOrigin;
  readonly history: ItemHistory;
  readonly decisions: Decisions;
  /** Of the rules. */
  readonly version: number;
};

type LoadedItem = ExplainedItem & { readonly catalog: Catalog; readonly stored: ItemRow };

async function loadKnown(db: Queries, catalogId: string, id: string): Promise<LoadedItem> {
  const catalog = await findCatalog(db, catalogId);
  const [row] = await findSourceItems(db, catalogId, [id]);
  const stored = await findItem(db, catalogId, id);
  if (!catalog || !row || !stored) throw new AppError("not_found", `This catalog has no item "${id}".`);
  const { sourceId } = row;
  const effects = await loadEffects(db, catalog);
  const decisions = await loadDecisions(db, catalogId, id);
  const origin = await loadOrigin(db, catalogId, { id, sourceId });
  const source = decodeItem(row.body);
  const variants = (await loadVariants(db, catalogId, [source]))(source);
  return {
    catalog,
    stored,
    source,
    owner: {
      id: sourceId,
      name: origin.source?.name ?? null,
      today: effects.today,
      variants: variants ?? [source],
    },
    origin,
    history: itemHistory(source, effects, { sourceId, overlays: decisions.overlays, variants }),
    decisions,
    version: effects.ruleSetVersion,
  };
}

/** The computed item may be newer than the stored one. */
function placedIn(group: Placed["group"], item: Item): Placed {
  const at = group.items.findIndex(({ id }) => id === item.id);
  return { group: { ...group, items: group.items.with(at, item) }, at };
}

/** A field that has a value, or had one, or of which anything is known. The source is in the answer anyway. */
function isListed(field: RuleField, { source, owner, history, origin }: ExplainedItem): boolean {
  if (field.name === "source") return false;
  const { mapping, rules, approved } = historyOf(history, field.name);
  return (
    mapping !== null ||
    rules.length > 0 ||
    approved !== null ||
    field.read(source, owner) !== undefined ||
    field.read(history.effective, owner) !== undefined ||
    origin.notes.some((note) => note.field === field.name)
  );
}

/** The files that are asked about: of one channel, or of all. */
type RequestedFiles = { readonly files: readonly FileColumns[]; readonly channel: ChannelName | undefined };

function explainedField(
  field: RuleField,
  known: ExplainedItem,
  { files, channel: asked }: RequestedFiles,
): ExplainedField {
  const { source, owner, history, origin, decisions, version } = known;
  const { mapping, rules, approved } = historyOf(history, field.entryOf ?? field.name);
  const { effective } = history;
  const textIn = (item: Item): string | null => shown(field.read(item, owner));
  const isOf = ({ field: name }: NotedField): boolean => name === field.name;
  return {
    field: field.name,
    source: {
      value: textIn(source),
      notes: origin.notes.filter(isOf).map(({ note }) => note),
    },
    mapping: mapping && { ...mapping, before: null, ...decisions.ofPath(mapping.path) },
    rules: rules
      .filter(({ channel }) => asked === undefined || channel === null || channel === asked)
      .map((rule) => ({ ...rule, version })),
    approved: approved && approvedStep(approved, decisions),
    value: field.name === "id" ? (effective.feed?.id ?? effective.id) : textIn(effective),
    channels: channelsIn(files).map((channel) => {
      const value = field.read(channelView(effective, channel), owner);
      return {
        channel,
        value: shown(value),
        files: files
          .filter((file) => file.channel === channel)
          .map((file) => fieldInFile(field.name, value, file)),
      };
    }),
  };
}

function approvedStep(
  { overlayId, before, after, refused }: NonNullable<ReturnType<typeof historyOf>["approved"]>,
  decisions: Decisions,
): ExplainedField["approved"] {
  const proposal = decisions.ofOverlay(overlayId);
  return proposal && { ...proposal, before, after, refused };
}

const channelsIn = (files: readonly FileColumns[]): readonly ChannelName[] =>
  CHANNEL_NAMES.filter((channel) => files.some((file) => file.channel === channel));

function fileEntry(
  { file, channel, refusal, texts, origins }: FileColumns,
  { feed }: Item,
): ItemExplanation["files"][number] {
  const rule = feed?.excluded?.[channel] ?? null;
  return {
    file,
    channel,
    included: refusal?.isWritten ?? true,
    refusal: refusal && {
      code: refusal.code,
      field: refusal.field,
      message: refusal.message,
      remedy: remedyFor(refusal.code) ?? null,
      rule,
    },
    other_columns: [...texts]
      .filter(([column]) => !origins.has(column))
      .map(([column, text]) => ({ column, text })),
  };
}
