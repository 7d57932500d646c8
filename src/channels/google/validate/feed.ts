/** All items of a file, one after another: each on its own, then against those before it. */
import { counted } from "../../../lib/counted.ts";
import { MOST_IDS } from "../../kit/validate/limits.ts";
import { SeenTexts } from "../../kit/validate/seen-texts.ts";
import { APPAREL_CHECKS, IDENTIFIER_CHECKS } from "./identifiers.ts";
import { GoogleGroups } from "./groups.ts";
import { LIST_CHECKS } from "./lists.ts";
import { MEASURE_CHECKS, moneyOf, OFFER_CHECKS, SHIPPING_CHECKS } from "./offer.ts";
import { MEDIA_CHECKS, TEXT_CHECKS } from "./content.ts";
import { checkRequired } from "./attributes.ts";
import type { GoogleFindings, GoogleRow, RowCheck } from "./row.ts";
import { checkValues } from "./values.ts";

const ROW_CHECKS: readonly RowCheck[] = [
  checkRequired,
  checkValues,
  ...TEXT_CHECKS,
  ...MEDIA_CHECKS,
  ...OFFER_CHECKS,
  ...IDENTIFIER_CHECKS,
  ...APPAREL_CHECKS,
  ...SHIPPING_CHECKS,
  ...MEASURE_CHECKS,
  ...LIST_CHECKS,
];

/** Merchant Center's default quota for an account. */
const MOST_ITEMS = 150_000;
const MOST_BYTES = 4 * 1024 ** 3;
const MANY_BYTES = 1024 ** 3;

export class GoogleFeed {
  rows = 0;
  private readonly findings: GoogleFindings;
  private readonly now: Date;
  private readonly ids: SeenTexts;
  private readonly gtins: SeenTexts;
  private readonly groups: GoogleGroups;
  private currency: string | null = null;
  private hasShipping = false;

  constructor(findings: GoogleFindings, now: Date, mostIds = MOST_IDS) {
    this.findings = findings;
    this.now = now;
    this.ids = new SeenTexts(mostIds);
    this.gtins = new SeenTexts(mostIds);
    this.groups = new GoogleGroups(findings, (id) => this.ids.lineOf(id));
  }

  add(row: GoogleRow): void {
    this.rows += 1;
    this.findings.at(row.line, row.text("id") ?? null);
    for (const check of ROW_CHECKS) check(row, this.findings, this.now);
    this.checkId(row);
    this.checkGtins(row);
    this.checkCurrency(row);
    this.groups.add(row);
    this.hasShipping ||= row.has("shipping") || row.has("carrier_shipping");
  }

  /** A row that is there and cannot be judged. */
  pass(): void {
    this.rows += 1;
  }

  end(bytes: number): void {
    this.groups.end();
    this.findings.at(null, null);
    if (this.rows === 0) this.findings.say("gmc.file.empty");
    else if (!this.hasShipping) this.findings.say("gmc.ship.missing", { field: "shipping" });
    if (this.rows > MOST_ITEMS) this.findings.say("gmc.file.items", { value: counted(this.rows, "row") });
    if (bytes > MANY_BYTES)
      this.findings.say("gmc.file.size", { value: `${bytes} bytes`, isMild: bytes <= MOST_BYTES });
    if (this.ids.isFull) this.findings.say("gmc.file.ids");
  }

  /** Google trims ids and folds white space inside, so they are compared like that. */
  private checkId(row: GoogleRow): void {
    const value = row.text("id");
    if (value === undefined) return;
    const first = this.ids.add(value.trim().replace(/\s+/g, " "), row.line);
    if (first === undefined) return;
    const detail = `The id was used on line ${first} already.`;
    this.findings.say("gmc.id.duplicate", { field: "id", value, detail });
  }

  private checkGtins(row: GoogleRow): void {
    for (const value of row.list("gtin")) {
      const first = this.gtins.add(value, row.line);
      if (first === undefined || first === row.line) continue;
      const detail = `The GTIN was used on line ${first} already.`;
      this.findings.say("gmc.gtin.shared", { field: "gtin", value, detail });
    }
  }

  private checkCurrency(row: GoogleRow): void {
    const currency = moneyOf(row, "price")?.currency;
    if (currency === undefined) return;
    this.currency ??= currency;
    if (currency === this.currency) return;
    const detail = `The price is in ${currency}, the first one is in ${this.currency}.`;
    this.findings.say("gmc.price.mixed", { field: "price", value: row.text("price"), detail });
  }
}
