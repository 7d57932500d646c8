/**
 * Turns what needs attention into alerts, and alerts into mails: each catalog once a minute, by whichever worker claims
 * it. A batch of catalogs costs a handful of queries, whatever their size; rows are written only when something
 * changes.
 */
import { newId } from "../../lib/id.ts";
import type { Log } from "../../lib/log.ts";
import { listAlertsSince, listRecentAlerts, saveAlerts } from "../../store/alerts.ts";
import type { AlertRow } from "../../store/alerts.ts";
import {
  addMissingSettings,
  checksDueBefore,
  claimChecks,
  lockChecks,
  saveMailTime,
  scheduleDigest,
} from "../../store/alert-settings.ts";
import type { CheckedCatalog, ClaimedCheck } from "../../store/alert-settings.ts";
import { enqueueMail } from "../../store/alert-mails.ts";
import { databaseTime } from "../../store/due.ts";
import { type Db, isAway, type Queries } from "../../store/db.ts";
import { restoredSince } from "../../store/restores.ts";
import { assess } from "../status/attention.ts";
import { isBehind } from "../status/held.ts";
import type { StatusFacts } from "../status/problem.ts";
import { gatherFacts } from "../status/status.ts";
import type { StatusDeps } from "../status/status.ts";
import { byConsequence, dueMail, markNotified } from "./due-mail.ts";
import { changedRows, follow, RECENT_MS } from "./follow.ts";
import type { FoundProblem } from "./follow.ts";
import { digestMail, problemMail } from "./mail-text.ts";
import type { MailedCatalog } from "./mail-text.ts";

export type AssessDeps = Pick<StatusDeps, "feedUrl"> & {
  readonly db: Db;
  readonly log: Log;
  readonly baseUrl: string;
  /** Whether mail can be sent. */
  readonly hasMail: boolean;
};

export type AssessOptions = {
  /** How often a catalog is checked. */
  readonly everyS: number;
  readonly signal?: AbortSignal;
  /** The time of the database by default. */
  readonly now?: () => Date;
};

const NEVER = new AbortController().signal;
const BATCH = 100;
const DAY = 86_400_000;

/** Checks the catalogs that are due, batch by batch. Returns how many. */
export async function assessDue(
  deps: AssessDeps,
  { everyS, signal = NEVER, now }: AssessOptions,
): Promise<number> {
  await addMissingSettings(deps.db);
  // A restored copy writes no mails: what is still wrong when it becomes live is mailed then.
  const hasMail = deps.hasMail && (await restoredSince(deps.db)) === null;
  // Each catalog once, however long this takes.
  const before = await checksDueBefore(deps.db, everyS);
  let checked = 0;
  for (let size = BATCH; size === BATCH && !signal.aborted; ) {
    const claimed = await claimChecks(deps.db, { before, limit: BATCH });
    await checkBatch({ ...deps, hasMail }, claimed, now?.() ?? (await databaseTime(deps.db)));
    size = claimed.length;
    checked += size;
  }
  return checked;
}

/** If a batch fails, each catalog alone: one must not keep the others unchecked. */
async function checkBatch(deps: AssessDeps, claimed: readonly ClaimedCheck[], at: Date): Promise<void> {
  try {
    await check(deps, claimed, at);
  } catch (error) {
    if (claimed.length === 1 || isAway(error)) throw error;
    for (const one of claimed)
      await check(deps, [one], at).catch((err: unknown) =>
        deps.log.error({ err, catalog_id: one.catalogId }, "alerts of a catalog could not be checked"),
      );
  }
}

async function check(deps: AssessDeps, claimed: readonly ClaimedCheck[], at: Date): Promise<void> {
  const ids = claimed.map(({ catalogId }) => catalogId);
  const facts = await gatherFacts(deps, ids, at);
  await deps.db.tx(async (tx) => apply(tx, deps, { catalogs: await lockChecks(tx, claimed), facts, at }));
}

type AlertBatch = {
  readonly catalogs: readonly CheckedCatalog[];
  readonly facts: readonly StatusFacts[];
  readonly at: Date;
};

async function apply(tx: Queries, deps: AssessDeps, { catalogs, facts, at }: AlertBatch): Promise<void> {
  const ids = catalogs.map(({ catalogId }) => catalogId);
  const recent = await listRecentAlerts(tx, ids, new Date(at.getTime() - RECENT_MS));
  const before = Map.groupBy(recent, ({ catalogId }) => catalogId);
  const byId = new Map(facts.map((one) => [one.catalog.id, one]));
  const changed: AlertRow[] = [];
  for (const catalog of catalogs) {
    const own = byId.get(catalog.catalogId);
    if (own === undefined) continue;
    const rows = before.get(catalog.catalogId) ?? [];
    const after = follow(rows, foundIn(own, at), { catalogId: catalog.catalogId, now: at, newId });
    const told = await mail(tx, deps, { catalog, facts: own, rows: after, at });
    changed.push(...changedRows(rows, told));
  }
  await saveAlerts(tx, changed);
}

function foundIn(facts: StatusFacts, now: Date): readonly FoundProblem[] {
  const { attention, subjects } = assess(facts, now);
  return attention.map((entry, i) => ({ ...entry, subject: subjects[i] ?? "" }));
}

type Mailing = {
  readonly catalog: CheckedCatalog;
  readonly facts: StatusFacts;
  readonly rows: readonly AlertRow[];
  readonly at: Date;
};

/** Queues the message that is due, and the digest. Returns the rows as they are then. */
async function mail(tx: Queries, deps: AssessDeps, mailing: Mailing): Promise<readonly AlertRow[]> {
  const { catalog, rows, at } = mailing;
  if (!deps.hasMail || catalog.recipients.length === 0) return rows;
  if (catalog.isDigestDue) await queueDigest(tx, deps, mailing);
  const due = dueMail(rows, { now: at, lastMailAt: catalog.lastMailAt });
  if (due === undefined) return rows;
  const mailId = newId();
  const { catalogId, recipients } = catalog;
  const refersTo = [...new Set([...due.problems, ...due.resolved].flatMap((row) => row.mailId ?? []))];
  const text = problemMail(mailedCatalog(deps, mailing), due);
  await enqueueMail(tx, { catalogId, mailId, recipients, refersTo, ...text });
  await saveMailTime(tx, catalogId, at);
  return markNotified(rows, due, at, mailId);
}

async function queueDigest(tx: Queries, deps: AssessDeps, mailing: Mailing): Promise<void> {
  const { catalog, rows, at } = mailing;
  const { catalogId, recipients, lastDigestAt } = catalog;
  await scheduleDigest(tx, catalogId, at);
  const since = new Date(Math.max(lastDigestAt?.getTime() ?? 0, at.getTime() - 2 * DAY));
  const known = new Map((await listAlertsSince(tx, catalogId, since)).map((row) => [row.id, row]));
  for (const row of rows) known.set(row.id, row);
  const all = [...known.values()];
  const problems = byConsequence(all.filter(({ resolvedAt }) => resolvedAt === null));
  const resolved = byConsequence(all.filter(({ resolvedAt }) => resolvedAt !== null && resolvedAt >= since));
  if (problems.length + resolved.length === 0) return;
  const text = digestMail(mailedCatalog(deps, mailing), { problems, resolved });
  await enqueueMail(tx, { catalogId, mailId: newId(), recipients, refersTo: [], ...text });
}

const mailedCatalog = ({ baseUrl }: AssessDeps, { catalog, facts }: Mailing): MailedCatalog => ({
  slug: catalog.slug,
  name: catalog.name,
  timeZone: catalog.timeZone,
  renderedAt: facts.catalog.renderFinishedAt,
  items: facts.catalog.itemCount,
  isBehind: isBehind(facts.catalog),
  consoleUrl: consoleUrlOf(baseUrl),
});

/** Null for an address that works on this machine only: nobody has set BASE_URL. */
export function consoleUrlOf(baseUrl: string): string | null {
  const { hostname } = URL.parse(baseUrl) ?? { hostname: "" };
  return /^(localhost|127\.|0\.0\.0\.0$|\[::1?\]$|$)/.test(hostname) ? null : baseUrl;
}
