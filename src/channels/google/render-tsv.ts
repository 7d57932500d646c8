/**
 * `gmc.tsv`: one line an item, UTF-8 without a byte order mark, LF line ends. The header is always the whole one:
 * a file is written in one pass, so nobody knows yet which columns will stay empty.
 */
import { meaningful } from "../../catalog/placeholder.ts";
import type { ItemGroup } from "../../catalog/item-group.ts";
import type { FeedContext, FeedWriter, Piece, Renderer } from "../channel.ts";
import { GMC_2026, type GmcField } from "./fields.ts";
import type { GmcKind } from "./kinds.ts";
import { type Field, type Limit, namesOf } from "../kit/field-table.ts";
import { refusals, sortOut } from "../kit/exclusions.ts";
import { escapeFormulas } from "../kit/formula.ts";
import { textCell } from "./cell.ts";
import { googleCells } from "./attribute-cells.ts";
import { GMC_VALUES, type GmcPlace, type OwnGmcField } from "./values.ts";
import { isLonger, limitOf, within } from "../kit/limits.ts";
import { familyOf, type Member, statedGroupId } from "../kit/variants.ts";

/** Kinds whose values still have to be fitted and protected; all others are cells already. */
const RAW_KINDS: ReadonlySet<GmcKind> = new Set(["text", "url"]);

type Column = {
  readonly valueOf: (typeof GMC_VALUES)[OwnGmcField];
  readonly isRaw: boolean;
  readonly limit: Limit | undefined;
};

const NAMES = namesOf(GMC_2026.fields);

function isOwn(name: GmcField): name is OwnGmcField {
  return name in GMC_VALUES;
}

const COLUMNS: readonly Column[] = NAMES.filter(isOwn).map((name) => ({
  valueOf: GMC_VALUES[name],
  isRaw: RAW_KINDS.has(GMC_2026.fields[name].kind),
  limit: GMC_2026.fields[name].limit,
}));

function heading(name: string, { parts }: Field): string {
  return parts === undefined ? name : `${name}(${parts.join(":")})`;
}

const HEADER = `${NAMES.map((name) => heading(name, GMC_2026.fields[name])).join("\t")}\n`;

const ID_LIMIT = limitOf(GMC_2026.fields.id);

const REFUSALS = refusals<keyof typeof GMC_2026.exclusions, undefined>(GMC_2026.exclusions, {
  id_too_long: ({ item }) => isLonger(item.id, ID_LIMIT),
  missing_description: ({ item }) => meaningful(item.description) === undefined,
  missing_image: ({ item }) => item.images === undefined,
  unknown_availability: ({ item }) => item.availability === "unknown",
  // A subscription has its price in `subscription_cost`; Google then asks for a price of zero.
  price_not_positive: ({ isFree, item }) => isFree && item.google?.subscription_cost === undefined,
});

function rawCell(value: string, limit: Limit | undefined): string {
  const fitting = limit === undefined ? value : within(value, limit);
  return fitting === undefined ? "" : textCell(fitting);
}

function line(member: Member, place: GmcPlace): string {
  let text = "";
  let gap = "";
  for (const { valueOf, isRaw, limit } of COLUMNS) {
    const value = valueOf(member, place);
    text += gap;
    gap = "\t";
    if (value !== undefined) text += isRaw ? rawCell(value, limit) : value;
  }
  return `${text}${googleCells(member.item.google)}\n`;
}

function open(context: FeedContext): FeedWriter {
  const now = context.asOf.toISOString();
  const { country, escapeFormulas: isEscaped = false } = context.settings;
  return {
    head: () => HEADER,
    group: (group: ItemGroup): Piece => {
      const family = familyOf(group, context);
      const { carried, excluded } = sortOut(family.members, REFUSALS, undefined);
      const place = { groupId: statedGroupId(family, carried.length), now, country };
      let text = "";
      for (const member of carried) text += line(member, place);
      return { text: isEscaped ? escapeFormulas(text) : text, written: carried.length, excluded };
    },
    tail: () => "",
  };
}

export const gmcTsv: Renderer = {
  contentType: "text/tab-separated-values; charset=utf-8",
  profile: GMC_2026.id,
  open,
};
