/**
 * The loops of alerts, in every worker: checking catalogs, and sending mails. A mail server that hangs delays mails
 * only.
 */
import { DELIVERY_BACKOFF_S } from "../../lib/backoff.ts";
import { sleep } from "../../lib/async.ts";
import { newId } from "../../lib/id.ts";
import type { Log } from "../../lib/log.ts";
import { type Mail, type MailClient, MailFailure } from "../../lib/outbound/mail-client.ts";
import { claimMail, finishMail, releaseMail } from "../../store/alert-mails.ts";
import type { MailEnd, QueuedMail } from "../../store/alert-mails.ts";
import { saveMailHealth } from "../../store/alert-settings.ts";
import type { Db } from "../../store/db.ts";
import type { JobDeps } from "../job.ts";
import { assessDue } from "./assess.ts";

export type AlertDeps = Pick<JobDeps, "db" | "feedUrl" | "baseUrl" | "log" | "mail">;

export type AlertOptions = {
  /** How often to look for what is due. */
  readonly everyMs: number;
  /** How often a catalog is checked. */
  readonly checkEveryS: number;
  readonly leaseS: number;
  /** The backoff. After the last one the mail is given up. */
  readonly retryDelaysS: readonly number[];
  /** Mails sent at the same time. */
  readonly slots: number;
};

export const ALERT_DEFAULTS: AlertOptions = {
  everyMs: 10_000,
  checkEveryS: 60,
  leaseS: 120,
  retryDelaysS: DELIVERY_BACKOFF_S,
  slots: 3,
};

/** Works until the signal aborts. */
export async function runAlerts(
  deps: AlertDeps,
  signal: AbortSignal,
  options: AlertOptions = ALERT_DEFAULTS,
): Promise<void> {
  const { mail } = deps;
  const senders = mail
    ? Array.from({ length: options.slots }, async () => send({ ...deps, mail }, signal, options))
    : [];
  await Promise.all([check(deps, signal, options), ...senders]);
}

async function check(
  deps: AlertDeps,
  signal: AbortSignal,
  { everyMs, checkEveryS }: AlertOptions,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await assessDue({ ...deps, hasMail: deps.mail !== undefined }, { everyS: checkEveryS, signal });
    } catch (error) {
      deps.log.error({ err: error }, "alerts could not be checked");
    }
    await sleep(everyMs, signal);
  }
}

type SendDeps = Pick<AlertDeps, "db" | "log"> & { readonly mail: MailClient };

async function send(deps: SendDeps, signal: AbortSignal, options: AlertOptions): Promise<void> {
  while (!signal.aborted) {
    const isSent = await sendNext(deps, signal, options).catch((error: unknown) => {
      deps.log.error({ err: error }, "mails could not be sent");
      return false;
    });
    if (!isSent) await sleep(options.everyMs, signal);
  }
}

/** Sends the mail that is due longest. False if none is due. */
export async function sendNext(
  { db, log, mail }: SendDeps,
  signal: AbortSignal,
  { leaseS, retryDelaysS }: Pick<AlertOptions, "leaseS" | "retryDelaysS">,
): Promise<boolean> {
  const owner = newId();
  const queued = await claimMail(db, { owner, leaseS });
  if (queued === undefined) return false;
  const failure = await mail.send(messageOf(queued, mail), signal).then(
    () => null,
    (error: unknown) => error,
  );
  if (failure !== null && signal.aborted) {
    await releaseMail(db, { id: queued.id, owner });
    return false;
  }
  const end = endOf(failure, retryDelaysS[queued.attempts - 1]);
  await finish({ db, log }, { queued, owner, end, failure });
  return true;
}

function endOf(failure: unknown, delayS: number | undefined): MailEnd {
  if (failure === null) return { state: "sent" };
  const error = failure instanceof MailFailure ? failure.message : "The mail could not be sent: see the log.";
  const isFinal = failure instanceof MailFailure && failure.isFinal;
  return isFinal || delayS === undefined ? { state: "dead", error } : { state: "pending", error, delayS };
}

type Finished = {
  readonly queued: QueuedMail;
  readonly owner: string;
  readonly end: MailEnd;
  readonly failure: unknown;
};

async function finish(
  { db, log }: { readonly db: Db; readonly log: Log },
  { queued, owner, end, failure }: Finished,
): Promise<void> {
  const { id, catalogId, recipient, attempts } = queued;
  await db.tx(async (tx) => {
    const isOurs = await finishMail(tx, { id, owner }, end);
    if (isOurs) await saveMailHealth(tx, catalogId, end.state === "sent" ? null : end.error);
  });
  const fields = { mail_id: id, catalog_id: catalogId, to: recipient, attempt: attempts, outcome: end.state };
  if (end.state === "sent") log.info(fields, "alert mailed");
  else if (failure instanceof MailFailure) log.warn(fields, `alert could not be mailed: ${end.error}`);
  else log.error({ ...fields, err: failure }, "alert could not be mailed");
}

/** The id is the same at every attempt and for every recipient, so that a mail that is sent twice is shown once. */
function messageOf(
  { recipient, subject, text, html, mailId, refersTo }: QueuedMail,
  { from }: MailClient,
): Mail {
  const domain = from.address.split("@").at(-1) ?? "shelfwire";
  const idOf = (id: string): string => `${id}@${domain}`;
  return { to: recipient, subject, text, html, messageId: idOf(mailId), references: refersTo.map(idOf) };
}
