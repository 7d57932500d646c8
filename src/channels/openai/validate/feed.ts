/** Checks the rows of a feed one after another: each alone, then against those before it. */
import { wordKey } from "../../../catalog/words.ts";
import { counted } from "../../../lib/counted.ts";
import { type GroupFault, GroupTracker } from "../../kit/validate/groups.ts";
import { RowHistory } from "../../kit/validate/row-history.ts";
import { checkText, type CheckedRow } from "../../kit/validate/row.ts";
import { DETAIL_CHECKS, OFFER_CHECKS } from "./offer.ts";
import type { OpenaiCheck, OpenaiFindings, OpenaiRule } from "./rules.ts";
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

/** Returns whether OpenAI takes the row for a variant of a group. */
function isVariant(row: CheckedRow): boolean {
  const groupId = row.text("group_id");
  return groupId !== undefined && groupId !== row.text("item_id") && row.isTrue("listing_has_variations");
}

const checkUse: OpenaiCheck = (row, findings) => {
  const options = row.groups("variant_dict")[0];
  if (options === undefined || options.size === 0 || isVariant(row)) return;
  findings.add("GRP-1", { field: "variant_dict", value: [...options.keys()].join(", ") });
};

const checkOwnGroup: OpenaiCheck = checkText("group_id", (groupId, add, row) => {
  if (groupId === row.text("item_id"))
    add("GRP-2", { detail: "The row's group id is its own id, so it is in no group." });
});

const checkOptions: OpenaiCheck = (row, findings) => {
  for (const [name, value] of row.groups("variant_dict")[0] ?? []) {
    if (name.trim() === "" || value.trim() === "")
      findings.add("VD", { field: `variant_dict.${name}`, value, detail: "An option is empty." });
    const attribute = ATTRIBUTES.get(wordKey(name));
    const stated = attribute === undefined ? undefined : row.text(attribute);
    if (stated === undefined || stated === value) continue;
    const detail = `The option "${name}" is "${value}", but \`${attribute}\` is not.`;
    findings.add("VD-ATTR", { field: attribute, value: stated, detail });
  }
};

const VARIANT_CHECKS: readonly OpenaiCheck[] = [checkUse, checkOwnGroup, checkOptions];

const ROW_CHECKS: readonly OpenaiCheck[] = [
  checkValues,
  ...OFFER_CHECKS,
  ...VARIANT_CHECKS,
  ...DETAIL_CHECKS,
];

const MAX_ROWS = 500_000;
const MAX_BYTES = 500_000_000;

const GROUP_RULES: Readonly<Record<GroupFault["kind"], readonly [OpenaiRule, string]>> = {
  "other names": ["GRP-3", "The row names other options than the group's row on line"],
  "same combination": ["GRP-4", "The row has the same options as the group's row on line"],
  "came up before": ["GRP-ADJ", "The group's other rows are elsewhere, the first on line"],
};

export class OpenaiFeed {
  rows = 0;
  private readonly findings: OpenaiFindings;
  private readonly now: Date;
  private readonly history: RowHistory<OpenaiRule>;
  private readonly groups = new GroupTracker();
  private seller: string | undefined;

  constructor(findings: OpenaiFindings, now: Date, mostIds?: number) {
    this.findings = findings;
    this.now = now;
    this.history = new RowHistory(findings, mostIds);
  }

  add(row: CheckedRow): void {
    const { findings, history } = this;
    this.rows += 1;
    const id = row.text("item_id");
    findings.at(row.line, id ?? null);
    for (const check of ROW_CHECKS) check(row, findings, this.now);
    if (id !== undefined) this.checkId(id, row);
    const offerId = row.text("offer_id");
    if (offerId !== undefined)
      history.checkUnique("OFFER", row, { field: "offer_id", name: "offer id", value: offerId });
    this.checkGtin(row);
    history.checkCurrency("CUR-ONE", row);
    this.checkGroup(row);
  }

  /** Counts a row that cannot be checked. */
  skip(): void {
    this.rows += 1;
  }

  end(bytes: number): void {
    const { findings, rows } = this;
    for (const { line, itemId, groupId } of this.groups.end())
      findings.addAt({ line, itemId }, "GRP-5", { field: "group_id", value: groupId });
    findings.at(null, null);
    if (rows === 0) findings.add("FILE-EMPTY");
    if (rows > MAX_ROWS || bytes > MAX_BYTES)
      findings.add("FILE-SIZE", { value: `${counted(rows, "row")}, ${bytes} bytes` });
    if (this.history.isFull("item_id")) findings.add("FILE-IDS");
  }

  private checkId(value: string, row: CheckedRow): void {
    const field = "item_id";
    this.history.checkUnique("ID-UNIQ", row, { field, name: "id", value });
    const group = this.groups.lineOf(value);
    if (group !== undefined)
      this.findings.add("GRP-2", { field, value, detail: `The id is also the group id on line ${group}.` });
  }

  /** Most feeds have one seller, whose name need not be kept with every number. */
  private checkGtin(row: CheckedRow): void {
    const value = row.text("gtin");
    if (value === undefined) return;
    const seller = row.text("seller_name") ?? "";
    this.seller ??= seller;
    const key = seller === this.seller ? value : `${value} ${seller}`;
    this.history.checkUnique("GTIN-DUP", row, { field: "gtin", name: "GTIN", value, key });
  }

  private checkGroup(row: CheckedRow): void {
    const groupId = row.text("group_id");
    if (groupId === undefined || !isVariant(row)) {
      this.groups.close();
      return;
    }
    const itemId = row.text("item_id") ?? null;
    const item = this.history.lineOf("item_id", groupId);
    const detail = `The group id is also the item id on line ${item}.`;
    if (item !== undefined) this.findings.add("GRP-2", { field: "group_id", value: groupId, detail });
    const options = [...(row.groups("variant_dict")[0] ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
    const names = JSON.stringify(options.map(([name]) => name));
    const combination = options.length === 0 ? "" : JSON.stringify(options);
    for (const { kind, since } of this.groups.add({ groupId, line: row.line, itemId, names, combination })) {
      const [rule, sentence] = GROUP_RULES[kind];
      this.findings.add(rule, { field: "variant_dict", value: combination, detail: `${sentence} ${since}.` });
    }
  }
}
