/**
 * The id of an item whose file has none for it. One rule for every file (docs/ids.md):
 * 1. the id as the file writes it;
 * 2. else the SKU, if it is short enough and no other published item of the file has it as its id or SKU;
 * 3. else an id made of the product's key and the option values: readable at the front, with a hash at the end.
 * A made id depends on nothing but its own product and options, so it stays the same when rows are reordered, added
 * or removed. It always ends with the hash, so it equals no handle, no group id and no other made id.
 */
import { counted } from "../../lib/counted.ts";
import { hash } from "node:crypto";
import { GOOGLE_LIMITS } from "../../catalog/google-limits.ts";
import type { Draft } from "../../catalog/draft.ts";
import { VARIANT_TRAITS } from "../../catalog/item.ts";
import { foldText } from "../../catalog/text.ts";
import { PUBLISHED_WORDS } from "../../catalog/vocabulary/traits.ts";
import { meaningOf } from "../../catalog/words.ts";
import { TextSet, TextTable } from "../../lib/text-table.ts";
import type { RecordResult } from "../source.ts";
import type { FeedPass, SourceFeedReader } from "./feed-reader.ts";

const LONGEST_ID = GOOGLE_LIMITS.id;

/** 10 characters of base 32: 50 bits. Ids with the same front part have to share a hash to collide. */
const HASH_LENGTH = 10;
const LONGEST_FRONT = LONGEST_ID - HASH_LENGTH - 1;

type DraftResult = Extract<RecordResult, { readonly kind: "draft" }>;

export type ItemIds = {
  /** Counts ids, SKUs and groups, before any id is assigned. Optional: without it no SKU counts as repeated. */
  readonly count: (draft: Draft) => void;
  readonly assign: (reading: DraftResult) => DraftResult;
  /** Warnings about the ids assigned so far. */
  readonly notes: () => readonly RecordResult[];
};

export function itemIds(): ItemIds {
  const names = new TextTable();
  const groups = new TextSet();
  const madeIds = madeIdCount();

  function isOwnSku(sku: string, groupId: string | undefined): boolean {
    // Google takes an id that is the id of another product's group for the parent of that group.
    const isOtherGroup = sku !== groupId && groups.has(sku);
    return sku !== "" && sku.length <= LONGEST_ID && (names.get(sku) ?? 0) < 2 && !isOtherGroup;
  }

  return {
    count: ({ id, sku, groupId, published }) => {
      // A copy that is still a draft often has the SKUs of its original, and must not change the original's ids.
      if (isUnpublished(published)) return;
      const name = foldText(id ?? sku ?? "");
      if (name !== "") names.increment(name);
      if (groupId !== undefined) groups.add(foldText(groupId));
    },
    assign: (reading) => {
      if (hasId(reading)) return reading;
      const { draft, key } = reading;
      const sku = draft.sku === undefined ? undefined : foldText(draft.sku);
      const groupId = draft.groupId === undefined ? undefined : foldText(draft.groupId);
      if (sku !== undefined && isOwnSku(sku, groupId)) {
        // In the export of a shop system the SKU is the usual name. Elsewhere `normalize` uses it with a warning.
        return key === undefined ? reading : { ...reading, draft: { ...draft, id: sku } };
      }
      const id = madeId(key ?? productKey(draft), choicesOf(draft));
      if (id === null) return reading;
      if (!isUnpublished(draft.published)) madeIds.add(id, sku);
      return { ...reading, draft: { ...draft, id } };
    },
    notes: madeIds.notes,
  };
}

function isUnpublished(published: string | undefined): boolean {
  return published !== undefined && meaningOf(PUBLISHED_WORDS, published) === "no";
}

/**
 * Counts made ids for the note. An unpublished item and a second row with the same id never enter the catalog, so they
 * do not count. Whether an item is rejected for another reason is not known here.
 */
function madeIdCount() {
  const ids = new TextSet();
  let unusable = 0;
  let example: string | null = null;
  return {
    add: (id: string, sku: string | undefined): void => {
      if (ids.has(id)) return;
      ids.add(id);
      if (sku === undefined) return;
      unusable += 1;
      example ??= sku;
    },
    notes: (): RecordResult[] => {
      if (ids.size === 0) return [];
      const reason =
        example === null
          ? ""
          : ` Of these, ${counted(unusable, "has", "have")} an SKU that is repeated in the file, is the name of another group, or has more than ${LONGEST_ID} characters, e.g. ${JSON.stringify(example.slice(0, 60))}.`;
      const message = `Items whose id is made of product and options, because they have no id and no SKU of their own: ${ids.size}.${reason}`;
      return [{ kind: "warning", code: "id_made", message }];
    },
  };
}

/** The id for a product's key and the values chosen of its options; null when there is nothing to make it of. */
export function madeId(key: readonly string[], choices: readonly string[]): string | null {
  const parts = [...key, ...choices].map((part) => part.normalize("NFC").trim());
  if (key.every((part) => part.trim() === "")) return null;
  const front = parts.map(plainWords).filter((words) => words !== "");
  const readable = front.join("-").slice(0, LONGEST_FRONT).replace(/-$/, "");
  return `${readable === "" ? "item" : readable}_${shortHash(JSON.stringify([key.length, ...parts]))}`;
}

function shortHash(text: string): string {
  const bits = BigInt(`0x${hash("sha256", text, "hex").slice(0, 16)}`) >> 14n;
  return bits.toString(32).padStart(HASH_LENGTH, "0");
}

/** Lower case letters, digits and single hyphens; empty for a text in another script. */
function plainWords(text: string): string {
  return text
    .replaceAll("ß", "ss")
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}

/** What identifies a row without id and SKU: its group, and its page or at least its title. */
function productKey({ groupId, link, title }: Draft): readonly string[] {
  const page = link === undefined ? title : pageOf(link);
  return [groupId ?? "", page ?? ""];
}

/** The page without its host: a shop that moves to another domain keeps its ids. */
function pageOf(link: string): string {
  const address = URL.parse(link, "https://shop.invalid");
  return address === null ? link : `${address.pathname}${address.search}`;
}

function choicesOf(draft: Draft): readonly string[] {
  if (draft.options !== undefined) return draft.options.map(({ value }) => value);
  return VARIANT_TRAITS.map((trait) => draft[trait] ?? "");
}

/** `head` is the beginning of the file. Returns the reader of the items, after the last pass. */
export function* itemPasses<Reader extends SourceFeedReader>(
  makeReader: () => Reader,
  head: string,
  pass: Omit<FeedPass, "reader" | "makeReader"> = {},
): Generator<FeedPass, Reader, void> {
  const ids = itemIds();
  if (hasNoIds(makeReader(), head)) yield { ...pass, reader: countIds(makeReader(), ids) };
  const reader = makeReader();
  yield { ...pass, reader: assignIds(reader, ids), makeReader };
  return reader;
}

const hasId = (reading: DraftResult): boolean =>
  reading.source !== undefined || reading.draft.id !== undefined;

const hasNoId = (reading: RecordResult): boolean => reading.kind === "draft" && !hasId(reading);

function hasNoIds(reader: SourceFeedReader, head: string): boolean {
  try {
    return reader.push(head).some(hasNoId) || reader.end().some(hasNoId);
  } catch {
    // A head mostly ends in the middle of an item. What is really wrong with the file comes up in the reading itself.
    return false;
  }
}

function countIds(reader: SourceFeedReader, ids: ItemIds): SourceFeedReader {
  const count = (readings: readonly RecordResult[]): [] => {
    for (const reading of readings) if (reading.kind === "draft") ids.count(reading.draft);
    return [];
  };
  return { ...reader, push: (text) => count(reader.push(text)), end: () => count(reader.end()) };
}

function assignIds(reader: SourceFeedReader, ids: ItemIds): SourceFeedReader {
  const assign = (readings: readonly RecordResult[]): RecordResult[] =>
    readings.map((reading) => (reading.kind === "draft" ? ids.assign(reading) : reading));
  return {
    ...reader,
    push: (text) => assign(reader.push(text)),
    end: () => [...assign(reader.end()), ...ids.notes()],
  };
}
