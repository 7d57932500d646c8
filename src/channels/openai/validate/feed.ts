/** All rows of a feed, one after another: each on its own, then against those before it. */
import { wordKey } from "../../../catalog/words.ts";
import { counted } from "../../../lib/counted.ts";
import { readMoney } from "../../kit/validate/checks/money.ts";
import { type GroupFault, GroupTracker } from "../../kit/validate/groups.ts";
import { MOST_IDS } from "../../kit/validate/limits.ts";
import { SeenTexts } from "../../kit/validate/seen-texts.ts";
import { DETAIL_CHECKS } from "./details.ts";
import { OFFER_CHECKS } from "./offer.ts";
import type { OpenaiFindings, OpenaiRow, RowCheck } from "./row.ts";
import type { OpenaiRule } from "./rules.ts";
import { checkValues } from "./values.ts";

/** Attributes that are often options too, by the names under which they are. */
const ATTRIBUTES: ReadonlyMap<string, string> = new Map([
  ["color", "color"],
  ["colour", "color"],
  ["size", "size"],
  ["material", "material"],
  ["gender", "gender"],
  ["agegroup", "age_group"],
]);

/** Whether OpenAI takes the row for a variant of a group. */
export function isVariant(row: OpenaiRow): boolean {
  const groupId = row.text("group_id");
  return groupId !== undefined && groupId !== row.text("item_id") && row.isTrue("listing_has_variations");
}

const checkUse: RowCheck = (row, findings) => {
  const options = row.object("variant_dict");
  if (options === undefined || options.size === 0 || isVariant(row)) return;
  findings.say("GRP-1", { field: "variant_dict", value: [...options.keys()].join(", ") });
};

const checkOwnGroup: RowCheck = (row, findings) => {
  const groupId = row.text("group_id");
  if (groupId !== undefined && groupId === row.text("item_id"))
    findings.say("GRP-2", {
      field: "group_id",
      value: groupId,
      detail: "The row's group id is its own id, so it is in no group.",
    });
};

const checkOptions: RowCheck = (row, findings) => {
  for (const [name, value] of row.object("variant_dict") ?? []) {
    if (name.trim() === "" || value.trim() === "")
      findings.say("VD", { field: `variant_dict.${name}`, value, detail: "An option is empty." });
    const attribute = ATTRIBUTES.get(wordKey(name));
    const stated = attribute === undefined ? undefined : row.text(attribute);
    if (stated === undefined || stated === value) continue;
    const detail = `The option "${name}" is "${value}", but \`${attribute}\` is not.`;
    findings.say("VD-ATTR", { field: attribute, value: stated, detail });
  }
};

export const VARIANT_CHECKS: readonly RowCheck[] = [checkUse, checkOwnGroup, checkOptions];

const ROW_CHECKS: readonly RowCheck[] = [checkValues, ...OFFER_CHECKS, ...VARIANT_CHECKS, ...DETAIL_CHECKS];

const MOST_ROWS = 500_000;
const MOST_BYTES = 500_000_000;

const GROUP_RULES: Readonly<Record<GroupFault["kind"], readonly [OpenaiRule, string]>> = {
  "other names": ["GRP-3", "The row names other options than the group's row on line"],
  "same combination": ["GRP-4", "The row has the same options as the group's row on line"],
  "came up before": ["GRP-ADJ", "The group's other rows stand elsewhere, the first on line"],
};

export class OpenaiFeed {
  rows = 0;
  private readonly findings: OpenaiFindings;
  private readonly ids: SeenTexts;
  private readonly offerIds: SeenTexts;
  private readonly gtins: SeenTexts;
  private readonly groups = new GroupTracker();
  private currency: string | null = null;
  private seller: string | undefined;

  constructor(findings: OpenaiFindings, mostIds = MOST_IDS) {
    this.findings = findings;
    this.ids = new SeenTexts(mostIds);
    this.offerIds = new SeenTexts(mostIds);
    this.gtins = new SeenTexts(mostIds);
  }

  add(row: OpenaiRow): void {
    this.rows += 1;
    const id = row.text("item_id");
    this.findings.at(row.line, id ?? null);
    for (const check of ROW_CHECKS) check(row, this.findings);
    if (id !== undefined) this.checkId(id, row.line);
    this.checkOfferId(row);
    this.checkGtin(row);
    this.checkCurrency(row);
    this.checkGroup(row);
  }

  /** A row that is there and cannot be judged. */
  pass(): void {
    this.rows += 1;
  }

  end(bytes: number): void {
    for (const { line, itemId, groupId } of this.groups.end())
      this.findings.sayAt({ line, itemId }, "GRP-5", { field: "group_id", value: groupId });
    this.findings.at(null, null);
    if (this.rows === 0) this.findings.say("FILE-EMPTY");
    if (this.rows > MOST_ROWS || bytes > MOST_BYTES)
      this.findings.say("FILE-SIZE", { value: `${counted(this.rows, "row")}, ${bytes} bytes` });
    if (this.ids.isFull) this.findings.say("FILE-IDS");
  }

  private checkId(value: string, line: number): void {
    const field = "item_id";
    const first = this.ids.add(value, line);
    if (first !== undefined)
      this.findings.say("ID-UNIQ", { field, value, detail: `The id was used on line ${first} already.` });
    const group = this.groups.lineOf(value);
    if (group !== undefined)
      this.findings.say("GRP-2", { field, value, detail: `The id is also the group id on line ${group}.` });
  }

  private checkOfferId(row: OpenaiRow): void {
    const value = row.text("offer_id");
    const first = value === undefined ? undefined : this.offerIds.add(value, row.line);
    if (first === undefined) return;
    const detail = `The offer id was used on line ${first} already.`;
    this.findings.say("OFFER", { field: "offer_id", value, detail });
  }

  /** Most feeds have one seller, whose name need not be kept with every number. */
  private checkGtin(row: OpenaiRow): void {
    const value = row.text("gtin");
    if (value === undefined) return;
    const seller = row.text("seller_name") ?? "";
    this.seller ??= seller;
    const first = this.gtins.add(seller === this.seller ? value : `${value} ${seller}`, row.line);
    if (first === undefined) return;
    this.findings.say("GTIN-DUP", {
      field: "gtin",
      value,
      detail: `The GTIN was used on line ${first} already.`,
    });
  }

  private checkCurrency(row: OpenaiRow): void {
    const value = row.text("price");
    const currency = value === undefined ? undefined : readMoney(value).money?.currency;
    if (currency === undefined) return;
    this.currency ??= currency;
    if (currency === this.currency) return;
    const detail = `The price is in ${currency}, the first one is in ${this.currency}.`;
    this.findings.say("CUR-ONE", { field: "price", value, detail });
  }

  private checkGroup(row: OpenaiRow): void {
    const groupId = row.text("group_id");
    if (groupId === undefined || !isVariant(row)) {
      this.groups.close();
      return;
    }
    const itemId = row.text("item_id") ?? null;
    const item = this.ids.lineOf(groupId);
    if (item !== undefined)
      this.findings.say("GRP-2", {
        field: "group_id",
        value: groupId,
        detail: `The group id is also the item id on line ${item}.`,
      });
    const options = [...(row.object("variant_dict") ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
    const names = JSON.stringify(options.map(([name]) => name));
    const combination = options.length === 0 ? "" : JSON.stringify(options);
    for (const { kind, since } of this.groups.add({ groupId, line: row.line, itemId, names, combination })) {
      const [rule, sentence] = GROUP_RULES[kind];
      this.findings.say(rule, { field: "variant_dict", value: combination, detail: `${sentence} ${since}.` });
    }
  }
}
