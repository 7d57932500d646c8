/**
 * The input of an audit apart from the items, and the values derived from it for all items: dates, store host,
 * freshness.
 */
import type { Audit } from "../contract/audits.ts";
import type { CatalogSettings } from "../catalog/settings.ts";
import { FAIL, failIf, NOT_APPLICABLE, type Outcome, UNKNOWN } from "./outcome.ts";
import { hostOf } from "../lib/public-host.ts";
import { bareHost } from "./url-checks.ts";

export type Freshness = {
  /** The last successful sync; null when there is none. */
  readonly lastSyncAt: Date | null;
  /** Null when the catalog has no sync schedule. */
  readonly intervalS: number | null;
  /** When the published files were made. Undefined if the audit is part of a render. */
  readonly publishedAt?: Date | null;
};

/**
 * Rows of a source that could not become items. No channel ever gets these rows, so each row counts as an item without
 * points that every channel refuses.
 */
export type RejectedRows = {
  readonly count: number;
  /** The most frequent first. */
  readonly reasons: readonly RejectionReason[];
  readonly examples: readonly RejectedExample[];
};

export type RejectionReason = Audit["rejection_reasons"][number];
export type RejectedExample = Omit<Audit["rules"][number]["examples"][number], "earned">;

export const NO_REJECTED_ROWS: RejectedRows = { count: 0, reasons: [], examples: [] };

export type AuditContext = {
  readonly settings: CatalogSettings;
  /** The time that dates are compared with. */
  readonly asOf: Date;
  readonly freshness: Freshness;
  readonly rejected?: RejectedRows;
};

export type AuditedShop = {
  readonly settings: CatalogSettings;
  /** ISO instants, as all dates of an item are, so that dates can be compared as text. */
  readonly now: string;
  readonly inThirtyDays: string;
  readonly inOneYear: string;
  /** Without `www.`; null when no store URL is set. */
  readonly host: string | null;
  /** Sells to a country where the law requires unit prices. */
  readonly needsUnitPrices: boolean;
  readonly sync: Outcome;
  readonly published: Outcome;
};

export const DAY_MS = 86_400_000;
/** Google does not accept a later expiration date. */
export const EXPIRY_DAYS = 30;
export const YEAR_DAYS = 365;

/** The EU, EFTA, the United Kingdom, Australia and New Zealand. */
const UNIT_PRICE_COUNTRIES = new Set(
  `AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK IS LI NO CH GB AU NZ`.split(
    " ",
  ),
);

export function shopOf({ settings, asOf, freshness }: AuditContext): AuditedShop {
  const later = (days: number) => new Date(asOf.getTime() + days * DAY_MS).toISOString();
  const countries = [settings.country, ...(settings.targetCountries ?? [])];
  return {
    settings,
    now: asOf.toISOString(),
    inThirtyDays: later(EXPIRY_DAYS),
    inOneYear: later(YEAR_DAYS),
    host: settings.storeUrl === undefined ? null : bareHost(hostOf(settings.storeUrl)),
    needsUnitPrices: countries.some((country) => country !== undefined && UNIT_PRICE_COUNTRIES.has(country)),
    sync: syncOutcome(freshness, asOf),
    published: publishedOutcome(freshness),
  };
}

function syncOutcome({ lastSyncAt, intervalS }: Freshness, asOf: Date): Outcome {
  if (intervalS === null) return NOT_APPLICABLE;
  if (lastSyncAt === null) return UNKNOWN;
  return failIf(asOf.getTime() - lastSyncAt.getTime() > 2 * intervalS * 1_000);
}

function publishedOutcome({ lastSyncAt, publishedAt }: Freshness): Outcome {
  if (publishedAt === undefined) return NOT_APPLICABLE;
  if (publishedAt === null) return FAIL;
  return failIf(lastSyncAt !== null && publishedAt < lastSyncAt);
}

/**
 * Describes which rows were rejected and how fresh the catalog is. Audits with different sync states have different
 * reports.
 */
export function syncStateOf({ freshness, asOf, rejected = NO_REJECTED_ROWS }: AuditContext): string {
  const fresh = `${syncOutcome(freshness, asOf)}/${publishedOutcome(freshness)}`;
  const { count, reasons } = rejected;
  if (count === 0) return fresh;
  return `${fresh}/${[count, ...reasons.map(({ code, rows }) => `${code}=${rows ?? "?"}`)].join(",")}`;
}
