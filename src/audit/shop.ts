/** What is the same for every item of one audit, worked out once: the settings, the moment, and how fresh things are. */
import type { CatalogSettings } from "../catalog/settings.ts";
import { FINE, FAULT, NOT_APPLICABLE, type Outcome, UNKNOWN } from "./outcome.ts";
import { bareHost, hostOf } from "./host.ts";
import { NO_REJECTED_ROWS, type RejectedRows, rejectedKey } from "./rejected.ts";

export type Freshness = {
  /** The last sync that succeeded; null when none is on record. */
  readonly lastSyncAt: Date | null;
  /** How often the catalog is synced; null when nobody has set a rhythm. */
  readonly intervalS: number | null;
  /** When the files that channels read now were made. Left out by an audit that is part of making new ones. */
  readonly publishedAt?: Date | null;
};

export type AuditContext = {
  readonly settings: CatalogSettings;
  /** The moment at which dates are judged. */
  readonly asOf: Date;
  readonly freshness: Freshness;
  /** What the syncs could not store; left out where nothing is known of it. */
  readonly rejected?: RejectedRows;
};

export type Shop = {
  readonly settings: CatalogSettings;
  /** Instants in the form all dates of an item have, so that they compare as text. */
  readonly now: string;
  readonly inThirtyDays: string;
  readonly inOneYear: string;
  /** Without `www.`; null when the settings name no store address. */
  readonly host: string | null;
  /** Sells where the law asks for unit prices. */
  readonly needsUnitPrices: boolean;
  readonly sync: Outcome;
  readonly published: Outcome;
};

export const DAY_MS = 86_400_000;
/** Google takes no end of an offer that is farther away. */
export const EXPIRY_DAYS = 30;
export const YEAR_DAYS = 365;

/** The EU, EFTA, the United Kingdom, Australia and New Zealand. */
const UNIT_PRICE_COUNTRIES = new Set(
  `AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK IS LI NO CH GB AU NZ`.split(
    " ",
  ),
);

export function shopOf({ settings, asOf, freshness }: AuditContext): Shop {
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
  return asOf.getTime() - lastSyncAt.getTime() > 2 * intervalS * 1_000 ? FAULT : FINE;
}

function publishedOutcome({ lastSyncAt, publishedAt }: Freshness): Outcome {
  if (publishedAt === undefined) return NOT_APPLICABLE;
  if (publishedAt === null) return FAULT;
  return lastSyncAt !== null && publishedAt < lastSyncAt ? FAULT : FINE;
}

/**
 * What an audit makes of the syncs and of the published files: how fresh they are, and which rows were rejected. Two
 * audits that differ here differ in their reports.
 */
export function syncStateOf({ freshness, asOf, rejected = NO_REJECTED_ROWS }: AuditContext): string {
  const fresh = `${syncOutcome(freshness, asOf)}/${publishedOutcome(freshness)}`;
  return rejected.count === 0 ? fresh : `${fresh}/${rejectedKey(rejected)}`;
}
