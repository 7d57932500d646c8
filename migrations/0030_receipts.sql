-- compatible: adds tables, a column that may be null and a run kind; older code runs on

-- A dry run of a sync has its own kind, and so its own slots: a slow shop must not delay the dry runs of rules.
alter table runs drop constraint runs_kind_check;
alter table runs add constraint runs_kind_check
  check (kind in ('sync', 'render', 'audit', 'removal', 'rules', 'proposals', 'plan', 'sync_plan'));

-- Fetches of the hosted files, by day, consumer and render. Servers add to the rows in batches: a million fetches are a few rows.
create table fetch_receipts (
  catalog_id    uuid not null references catalogs on delete cascade,
  day           date not null,
  file          text not null,
  -- A known consumer, the name of a program, or `other`.
  consumer      text not null,
  -- The render that was published then. No foreign key: receipts are kept longer than runs.
  run_id        uuid not null,
  status        smallint not null,
  fetches       bigint not null,
  bytes         bigint not null,
  first_at      timestamptz not null,
  last_at       timestamptz not null,
  primary key (catalog_id, day, file, consumer, run_id, status)
) with (fillfactor = 80);
-- Old ones are deleted by day.
create index fetch_receipts_by_day on fetch_receipts (day);

-- Who fetches which file, how often, and what they got last.
create table feed_consumers (
  catalog_id   uuid not null references catalogs on delete cascade,
  file         text not null,
  consumer     text not null,
  -- One that we know by name: Google, Meta …
  is_known     boolean not null,
  first_at     timestamptz not null,
  last_at      timestamptz not null,
  last_status  smallint not null,
  last_run_id  uuid not null,
  last_sha256  text not null,
  -- On how many days it fetched the file.
  active_days  integer not null default 1,
  -- The longest time between two fetches, up to a week. It shrinks by a tenth with each further day.
  usual_gap_s  bigint not null default 0,
  primary key (catalog_id, file, consumer)
) with (fillfactor = 50);

-- Where the newest attempt went. The destination may have been changed since.
alter table destination_deliveries add column sent_to text;
