/** What the checks of a status share: the facts, the form of what they find, and how figures are written. */
import type { Action, Attention, AttentionCode } from "../../contract/status.ts";
import { plural } from "../../lib/counted.ts";
import { spanWords } from "../../lib/span-words.ts";
import type { CatalogStatusFacts, FileFacts } from "../../store/status.ts";
import type { OriginFacts } from "../../store/troubled-origins.ts";
import type { SilentConsumer } from "../../store/fetch-receipts.ts";
import type { FailingDestination } from "../../destinations/destinations.sql.ts";
import type { FailingEndpoint } from "../../webhooks/endpoints.sql.ts";

/** What a catalog calls a problem, and how its mail is doing. */
export type AlertFacts = {
  readonly maxFeedAgeS: number | null;
  readonly minScoreDrop: number;
  readonly mailFailingSince: Date | null;
  readonly mailError: string | null;
};

export type StatusFacts = {
  readonly catalog: CatalogStatusFacts;
  readonly origins: readonly OriginFacts[];
  readonly files: readonly FileFacts[];
  readonly endpoints: readonly FailingEndpoint[];
  readonly silent: readonly SilentConsumer[];
  readonly destinations: readonly FailingDestination[];
  readonly alerts: AlertFacts;
  /** Whether the token of the feed URLs can be decrypted. */
  readonly isTokenReadable: boolean;
};

const MINUTE = 60_000;

/** A sync that was due this long ago should have begun, and a change of the items should be rendered. */
export const OVERDUE_MS = 15 * MINUTE;
/** Scores of this time are compared. */
export const DROP_DAYS = 7;

export type AttentionCandidate = {
  readonly code: AttentionCode;
  readonly severity?: Attention["severity"];
  /** One sentence. */
  readonly headline: string;
  readonly detail?: string | null;
  readonly count?: number | null;
  readonly since?: Date | null;
  readonly action?: Action | null;
  /** What it is about, if not the whole catalog: the same problem of another source is another one. */
  readonly subject?: string | null;
  /** Items concerned: of two entries with the same code, the larger one comes first. */
  readonly weight?: number;
};

export type StatusCheck = (facts: StatusFacts, now: Date) => readonly AttentionCandidate[];

export const ago = (at: Date, now: Date): string => `${spanWords(now.getTime() - at.getTime())} ago`;
export const isOlder = (at: Date, ms: number, now: Date): boolean => now.getTime() - at.getTime() > ms;
export const figure = (count: number): string => count.toLocaleString("en");
export const amount = (count: number, noun: string): string => `${figure(count)} ${plural(count, noun)}`;
export const openRun = (id: string | null): Action | null =>
  id === null ? null : { kind: "open_run", target: id };
