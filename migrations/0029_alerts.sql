-- compatible: adds tables only

-- What is an alert in a catalog, who is mailed, and when it was last looked at. A row is made when it is first needed.
create table alert_settings (
  catalog_id         uuid primary key references catalogs on delete cascade,
  recipients         text[] not null default '{}',
  -- Null: no digest.
  digest_at          text default '07:00',
  time_zone          text not null default 'UTC',
  -- Null: files may have any age.
  max_feed_age_s     integer default 604800,
  min_score_drop     integer not null default 5,
  checked_at         timestamptz not null default '-infinity',
  next_digest_at     timestamptz,
  last_digest_at     timestamptz,
  last_mail_at       timestamptz,
  last_test_at       timestamptz,
  -- Null while the newest mail was sent.
  mail_failing_since timestamptz,
  mail_error         text
) with (fillfactor = 50);

-- What needed attention, from when to when. One row while it lasts; a problem that comes back soon continues its row.
create table alerts (
  id                   uuid primary key,
  catalog_id           uuid not null references catalogs on delete cascade,
  code                 text not null,
  -- The source, webhook, destination or file that it is about; empty: the catalog.
  subject              text not null,
  severity             text not null check (severity in ('failing', 'attention')),
  message              text not null,
  action               jsonb,
  since                timestamptz not null,
  opened_at            timestamptz not null,
  last_seen_at         timestamptz not null,
  -- Since when it is not seen any more. It is resolved if it stays away.
  cleared_at           timestamptz,
  resolved_at          timestamptz,
  -- How often it came back within a day.
  times                integer not null default 0,
  notified_at          timestamptz,
  resolved_notified_at timestamptz,
  -- The mail that announced it, which later ones refer to.
  mail_id              uuid
) with (fillfactor = 70);
create unique index alerts_open on alerts (catalog_id, code, subject) where resolved_at is null;
create index alerts_resolved on alerts (catalog_id, resolved_at) where resolved_at is not null;
create index alerts_by_age on alerts (resolved_at) where resolved_at is not null;

-- One mail for one recipient: the queue and, afterwards, the log.
create table alert_mails (
  id              uuid primary key,
  catalog_id      uuid not null references catalogs on delete cascade,
  -- The same for all recipients.
  mail_id         uuid not null,
  recipient       text not null,
  subject         text not null,
  text            text not null,
  html            text not null,
  -- Mails that it continues.
  refers_to       uuid[] not null default '{}',
  state           text not null default 'pending' check (state in ('pending', 'sent', 'dead')),
  attempts        integer not null default 0,
  next_attempt_at timestamptz,
  lease_until     timestamptz,
  lease_owner     uuid,
  error           text,
  created_at      timestamptz not null,
  finished_at     timestamptz,
  check ((state = 'pending') = (next_attempt_at is not null)),
  check ((lease_until is null) = (lease_owner is null))
);
create index alert_mails_due on alert_mails (next_attempt_at) where state = 'pending';
create index alert_mails_by_catalog on alert_mails (catalog_id, created_at);
create index alert_mails_by_age on alert_mails (finished_at) where finished_at is not null;
