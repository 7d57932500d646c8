/** Checks the items of a file one after another: each alone, then against those before it. */
import { counted } from "../../../lib/counted.ts";
import { RowHistory } from "../../kit/validate/row-history.ts";
import type { CheckedRow } from "../../kit/validate/row.ts";
import { checkRequired } from "./attributes.ts";
import { CONTENT_CHECKS } from "./content.ts";
import { GoogleGroups } from "./groups.ts";
import { IDENTIFIER_CHECKS } from "./identifiers.ts";
import { LIST_CHECKS } from "./lists.ts";
import { checkShipping, MEASURE_CHECKS, OFFER_CHECKS } from "./offer.ts";
import type { GoogleCheck, GoogleFindings, GoogleRule } from "./rules.ts";
import { checkValues } from "./values.ts";

const ROW_CHECKS: readonly GoogleCheck[] = [
  checkRequired,
  checkValues,
  ...CONTENT_CHECKS,
  ...OFFER_CHECKS,
  ...IDENTIFIER_CHECKS,
  checkShipping,
  ...MEASURE_CHECKS,
  ...LIST_CHECKS,
];

/** Merchant Center's default quota for an account. */
const MAX_ITEMS = 150_000;
const MAX_BYTES = 4 * 1024 ** 3;
const MANY_BYTES = 1024 ** 3;

export class GoogleFeed {
  rows = 0;
  private readonly findings: GoogleFindings;
  private readonly now: Date;
  private readonly history: RowHistory<GoogleRule>;
  private readonly groups: GoogleGroups;
  private hasShipping = false;

  constructor(findings: GoogleFindings, now: Date, mostIds?: number) {
    this.findings = findings;
    this.now = now;
    this.history = new RowHistory(findings, mostIds);
    this.groups = new GoogleGroups(findings, (id) => this.history.lineOf("id", id));
  }

  add(row: CheckedRow): void {
    const { findings, history } = this;
    this.rows += 1;
    const id = row.text("id");
    findings.at(row.line, id ?? null);
    for (const check of ROW_CHECKS) check(row, findings, this.now);
    // Google trims ids and folds white space inside, so they are compared like that.
    const key = id?.trim().replace(/\s+/g, " ") ?? "";
    if (id !== undefined)
      history.checkUnique("gmc.id.duplicate", row, { field: "id", name: "id", value: id, key });
    for (const value of new Set(row.list("gtin")))
      history.checkUnique("gmc.gtin.shared", row, { field: "gtin", name: "GTIN", value });
    history.checkCurrency("gmc.price.mixed", row);
    this.groups.add(row);
    this.hasShipping ||= row.has("shipping") || row.has("carrier_shipping");
  }

  /** Counts a row that cannot be checked. */
  skip(): void {
    this.rows += 1;
  }

  end(bytes: number): void {
    const { findings, rows } = this;
    this.groups.end();
    findings.at(null, null);
    if (rows === 0) findings.add("gmc.file.empty");
    else if (!this.hasShipping) findings.add("gmc.ship.missing", { field: "shipping" });
    if (rows > MAX_ITEMS) findings.add("gmc.file.items", { value: counted(rows, "row") });
    if (bytes > MANY_BYTES)
      findings.add("gmc.file.size", { value: `${bytes} bytes`, isMild: bytes <= MAX_BYTES });
    if (this.history.isFull("id")) findings.add("gmc.file.ids");
  }
}
