-- compatible: adds tables only

-- Where the files of a catalog are delivered. The lease is of the destination, not of a delivery, so that there are
-- never two uploads to one destination at the same time.
create table destinations (
  id              uuid primary key,
  catalog_id      uuid not null references catalogs on delete cascade,
  kind            text not null,
  name            text not null,
  settings        jsonb not null,
  secrets_sealed  bytea,
  format          text not null,
  file_name       text not null,
  is_sharded      boolean not null,
  -- Null: no limit.
  bytes_per_s     bigint,
  -- For how many days rows that are gone are sent as out of stock.
  vanished_days   integer not null,
  schedule        text not null check (schedule in ('publication', 'daily')),
  daily_at        text not null,
  time_zone       text not null,
  enabled         boolean not null,
  -- Null unless the schedule is daily and the destination is enabled.
  next_daily_at   timestamptz,
  -- The names of the last delivered files: those that the next delivery does not have are removed.
  delivered_names text[] not null default '{}',
  last_success_at timestamptz,
  -- Null while the newest attempt is a success.
  failing_since   timestamptz,
  last_failure_at timestamptz,
  last_error_code text,
  last_error      text,
  lease_owner     uuid,
  lease_until     timestamptz,
  created_at      timestamptz not null default now(),
  -- Receipts from before do not count as proof that the destination has a file.
  changed_at      timestamptz not null default now(),
  check ((lease_until is null) = (lease_owner is null))
) with (fillfactor = 70);
create index destinations_by_catalog on destinations (catalog_id);
create index destinations_daily on destinations (next_daily_at) where next_daily_at is not null;

-- One render for one destination: the queue and, afterwards, the receipts. Its catalog is reached through the
-- destination: a reference of its own would make every delivery wait for the merge that has the catalog locked.
create table destination_deliveries (
  -- Version 7, so the primary key is in the order of creation.
  id              uuid primary key,
  destination_id  uuid not null references destinations on delete cascade,
  cause           text not null check (cause in ('publication', 'daily', 'request')),
  -- What was or will be sent. Each attempt sends what is published when it begins.
  run_id          uuid not null,
  file            text not null,
  sha256          text not null,
  state           text not null default 'pending'
                  check (state in ('pending', 'sending', 'delivered', 'dead', 'superseded')),
  attempts        integer not null default 0,
  -- Failed attempts of the current schedule, which goes on when a newer delivery replaces one that waits.
  failures        integer not null default 0,
  next_attempt_at timestamptz,
  created_at      timestamptz not null,
  started_at      timestamptz,
  finished_at     timestamptz,
  duration_ms     bigint,
  bytes           bigint,
  -- The files as the destination has them: name, bytes, sha256.
  files           jsonb,
  -- How many rows were sent that are gone from the catalog.
  vanished        integer,
  -- How earlier files were replaced, and which were removed.
  replacing       text,
  removed         text[],
  -- Of the newest attempt.
  error_code      text,
  error           text,
  check ((state = 'pending') = (next_attempt_at is not null))
);
-- Rows that a destination has got and that are gone since: the last row of each, as JSON.
create table destination_vanished (
  destination_id uuid not null references destinations on delete cascade,
  item_id        text collate "C" not null,
  row            text not null,
  since          timestamptz not null default now(),
  primary key (destination_id, item_id)
);

create index destination_deliveries_log on destination_deliveries (destination_id, id);
create index destination_deliveries_open on destination_deliveries (destination_id) where state in ('pending', 'sending');
