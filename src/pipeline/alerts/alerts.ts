/** What routes and commands call: the list of alerts, its settings, and a test mail. */
import type {
  Alert,
  AlertSettings,
  AlertsPage,
  AlertsQuery,
  ChangeAlertSettings,
  TestMail,
} from "../../contract/alerts.ts";
import { DEFAULT_LIMIT } from "../../contract/shapes.ts";
import { AppError, invalidRequest } from "../../errors.ts";
import { decodeOffset, decodeTimeAndId, encodeCursor, pageOf } from "../../lib/cursor.ts";
import { newId } from "../../lib/id.ts";
import { withCamelCase, withSnakeCase } from "../../lib/snake-case.ts";
import { isTimeZone } from "../../lib/time-zone.ts";
import { type MailClient, MailFailure } from "../../lib/outbound/mail-client.ts";
import { listOpenAlerts, listResolvedAlerts } from "../../store/alerts.ts";
import type { AlertRow } from "../../store/alerts.ts";
import {
  claimTestMail,
  clearMailHealth,
  DEFAULT_ALERT_SETTINGS,
  findAlertSettings,
  saveAlertSettings,
} from "../../store/alert-settings.ts";
import { findCatalog } from "../../store/catalogs.ts";
import { requireLive } from "../../store/restores.ts";
import { findRun } from "../../store/runs.ts";
import { findPublicationFacts } from "../../store/status.ts";
import type { Db, Queries } from "../../store/db.ts";
import { isBehind } from "../status/held.ts";
import { ADVICE, meanwhileOf } from "./advice.ts";
import { consoleUrlOf } from "./assess.ts";
import { byConsequence } from "./due-mail.ts";
import { testMail } from "./mail-text.ts";

export async function listAlerts(
  db: Queries,
  catalogId: string,
  { state = "open", cursor, limit = DEFAULT_LIMIT }: AlertsQuery,
): Promise<AlertsPage> {
  if (state === "open") {
    // By consequence, which changes: a page is a part of the list of now. There are few of them.
    const offset = cursor === undefined ? 0 : decodeOffset(cursor);
    const open = byConsequence(await listOpenAlerts(db, catalogId));
    const end = offset + limit;
    const nextCursor = open.length > end ? encodeCursor([end]) : null;
    const publication = await findPublicationFacts(db, catalogId);
    const now = { isBehind: publication !== undefined && isBehind(publication) };
    const alerts = open.slice(offset, end).map((row) => alertBody(row, now));
    return { alerts, next_cursor: nextCursor };
  }
  const before = cursor === undefined ? undefined : decodeTimeAndId(cursor);
  const rows = await listResolvedAlerts(db, catalogId, { before, limit: limit + 1 });
  const { page, nextCursor } = pageOf(rows, limit, ({ resolvedAt, id }) => [
    resolvedAt?.toISOString() ?? "",
    id,
  ]);
  return { alerts: page.map((row) => alertBody(row, { isBehind: false })), next_cursor: nextCursor };
}

function alertBody(row: AlertRow, publication: { readonly isBehind: boolean }): Alert {
  const { id, code, severity, message, action, since, lastSeenAt, clearedAt, resolvedAt, times } = row;
  const subject = row.subject === "" ? null : row.subject;
  const texts = { message, meanwhile: meanwhileOf(code, publication), advice: ADVICE[code].advice };
  const seen = { since, lastSeenAt, clearedAt, resolvedAt, times, notifiedAt: row.notifiedAt };
  return withSnakeCase({ id, code, severity, subject, ...texts, action, ...seen });
}

export type SettingsDeps = { readonly db: Db; readonly mail?: MailClient | undefined };

export async function alertSettings({ db, mail }: SettingsDeps, catalogId: string): Promise<AlertSettings> {
  const row = (await findAlertSettings(db, catalogId)) ?? DEFAULT_ALERT_SETTINGS;
  const { recipients, digestAt, timeZone, maxFeedAgeS, minScoreDrop, mailFailingSince, mailError } = row;
  const maxFeedAgeH = maxFeedAgeS === null ? null : Math.round(maxFeedAgeS / 3_600);
  const mailing = { mailConfigured: mail !== undefined, mailFailingSince, mailError };
  return withSnakeCase({ recipients, digestAt, timeZone, maxFeedAgeH, minScoreDrop, ...mailing });
}

/** What is not named stays. The database is that of the log of changes. */
export async function changeAlertSettings(
  db: Db,
  catalogId: string,
  change: ChangeAlertSettings,
): Promise<void> {
  const { recipients, maxFeedAgeH: hours, ...fields } = withCamelCase(change);
  if (fields.timeZone !== undefined && !isTimeZone(fields.timeZone))
    throw invalidRequest("There is no such time zone. Use a name such as Europe/Berlin.", "/time_zone");
  await db.tx(async (tx) =>
    saveAlertSettings(tx, catalogId, {
      ...fields,
      ...(recipients && { recipients: [...new Set(recipients)] }),
      ...(hours !== undefined && { maxFeedAgeS: hours === null ? null : hours * 3_600 }),
    }),
  );
}

/** Nobody needs more, and the recipients are named by the caller. */
const TEST_EVERY_S = 10;

export type TestAlertDeps = SettingsDeps & { readonly baseUrl: string };

/** Sends a mail to every recipient now, and returns what the server said. */
export async function sendTestMail(
  { db, mail, baseUrl }: TestAlertDeps,
  catalogId: string,
  signal: AbortSignal,
): Promise<TestMail> {
  const settings = await findAlertSettings(db, catalogId);
  const catalog = await findCatalog(db, catalogId);
  if (mail === undefined)
    throw new AppError(
      "mail_not_configured",
      "This installation cannot send mail. Set SMTP_URL and MAIL_FROM, and restart it.",
    );
  if (!catalog || !settings || settings.recipients.length === 0)
    throw new AppError("no_recipients", "This catalog has no recipients. Set them first.");
  await requireLive(db);
  if (!(await claimTestMail(db, catalogId, TEST_EVERY_S)))
    throw new AppError("rate_limited", `A test was sent in the last ${TEST_EVERY_S} seconds.`, {
      retryAfterS: TEST_EVERY_S,
    });
  const published = catalog.publishedRunId === null ? undefined : await findRun(db, catalog.publishedRunId);
  const text = testMail({
    slug: catalog.slug,
    name: catalog.name,
    timeZone: settings.timeZone,
    renderedAt: published?.finishedAt ?? null,
    items: catalog.itemCount,
    isBehind: false,
    consoleUrl: consoleUrlOf(baseUrl),
  });
  const results = await Promise.all(
    settings.recipients.map(async (recipient) => {
      const messageId = `${newId()}@${mail.from.address.split("@").at(-1)}`;
      const error = await mail.send({ to: recipient, ...text, messageId, references: [] }, signal).then(
        () => null,
        (thrown: unknown) => {
          if (!(thrown instanceof MailFailure)) throw thrown;
          return thrown.message;
        },
      );
      return { recipient, sent: error === null, error };
    }),
  );
  if (results.every(({ sent }) => sent)) await clearMailHealth(db, catalogId);
  return { results };
}
