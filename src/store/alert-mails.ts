/**
 * Mails about alerts: the queue and, afterwards, the log. A mail is written in the transaction that marks its alerts as
 * notified.
 */
import { MAX_DELIVERY_DELAY_S } from "../lib/backoff.ts";
import { newId } from "../lib/id.ts";
import type { Queries } from "./db.ts";
import { inSeconds, isDue } from "./due.ts";
import { storable } from "./json.ts";
import { IS_LIVE } from "./restores.ts";
import { sql } from "./sql.ts";

export type NewMail = {
  readonly catalogId: string;
  /** All recipients of a mail have the same id here. */
  readonly mailId: string;
  readonly recipients: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly refersTo: readonly string[];
};

export async function enqueueMail(tx: Queries, mail: NewMail): Promise<void> {
  const { catalogId, mailId, recipients, subject, text, html, refersTo } = mail;
  await tx.execute(sql`
    insert into alert_mails (id, catalog_id, mail_id, recipient, subject, text, html, refers_to, next_attempt_at, created_at)
    select id, ${catalogId}, ${mailId}, recipient, ${storable(subject)}, ${storable(text)}, ${storable(html)},
           ${refersTo}::uuid[], now(), now()
      from unnest(${recipients.map(() => newId())}::uuid[], ${recipients}::text[]) as r (id, recipient)`);
}

export type QueuedMail = Omit<NewMail, "recipients"> & {
  readonly id: string;
  readonly recipient: string;
  /** Includes the current attempt. */
  readonly attempts: number;
};

export type MailLease = { readonly owner: string; readonly leaseS: number };

/** The upper limit of a lease, with a margin. */
const MAX_LEASE_S = 3_600;

/** Claims the mail that is overdue longest. A mail whose sender died can be claimed again. */
export async function claimMail(db: Queries, { owner, leaseS }: MailLease): Promise<QueuedMail | undefined> {
  return db.first<QueuedMail>(sql`
    update alert_mails
       set lease_owner = ${owner}, lease_until = ${inSeconds(leaseS)}, attempts = attempts + 1
     where id = (select id from alert_mails
                  where state = 'pending' and ${isDue(sql`next_attempt_at`, MAX_DELIVERY_DELAY_S)} and ${IS_LIVE}
                    and (lease_until is null or ${isDue(sql`lease_until`, MAX_LEASE_S)})
                  order by next_attempt_at limit 1 for update skip locked)
    returning id, catalog_id, mail_id, recipient, subject, text, html, refers_to, attempts`);
}

export type MailEnd =
  | { readonly state: "sent" }
  | { readonly state: "dead"; readonly error: string }
  | { readonly state: "pending"; readonly error: string; readonly delayS: number };

/** Returns false and writes nothing if the lease was lost. */
export async function finishMail(
  tx: Queries,
  { id, owner }: { readonly id: string; readonly owner: string },
  end: MailEnd,
): Promise<boolean> {
  const delayS = end.state === "pending" ? end.delayS : null;
  const finished = await tx.execute(sql`
    update alert_mails
       set state = ${end.state}, lease_owner = null, lease_until = null,
           next_attempt_at = ${inSeconds(delayS)},
           finished_at = case when ${end.state}::text = 'pending' then null else now() end,
           error = ${end.state === "sent" ? null : storable(end.error)}
     where id = ${id} and lease_owner = ${owner} and state = 'pending'`);
  return finished === 1;
}

/** Puts the mail back into the queue without counting an attempt, for a worker that stops. */
export async function releaseMail(db: Queries, { id, owner }: { id: string; owner: string }): Promise<void> {
  await db.execute(sql`
    update alert_mails set lease_owner = null, lease_until = null, attempts = attempts - 1
     where id = ${id} and lease_owner = ${owner} and state = 'pending'`);
}

/**
 * Withholds the mails of a restored copy that waited when the backup was made, because the original has probably sent
 * them.
 */
export async function withholdMails(tx: Queries): Promise<void> {
  const error = "This mail was waiting when the backup was made. The restored copy does not send it.";
  await tx.execute(sql`
    update alert_mails set state = 'dead', lease_owner = null, lease_until = null, next_attempt_at = null, finished_at = now(), error = ${error}
     where state = 'pending'`);
}
