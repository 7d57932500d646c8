-- compatible: adds tables and indexes

-- A push is a sync run without a source. What was asked for is here; what was sent is in push_chunks. See docs/adr/0007.
create table pushes (
  run_id            uuid primary key references runs on delete cascade,
  mode              text not null check (mode in ('replace', 'update')),
  format            text not null check (format in ('json', 'json_lines')),
  max_removed_ratio double precision not null,
  -- How many chunks the whole body has. Null until its last byte has arrived.
  parts             integer
);

-- The body, unpacked and cut. Logged, unlike staging: a caller who was told 202 has nothing to send again.
create table push_chunks (
  run_id uuid not null references pushes on delete cascade,
  part   integer not null,
  -- Packed by us with zstd; PostgreSQL need not try.
  bytes  bytea not null,
  primary key (run_id, part)
);
alter table push_chunks alter column bytes set storage external;

-- What an Idempotency-Key was used for, so that the same call made twice is one push.
create table push_keys (
  catalog_id   uuid not null references catalogs on delete cascade,
  key          text not null,
  -- No foreign key: the key is kept for a day, also where the history is shorter.
  run_id       uuid not null,
  -- Of the whole request, once it has arrived.
  request_hash bytea,
  -- The numbers of a push that succeeded.
  stats        jsonb,
  created_at   timestamptz not null default now(),
  primary key (catalog_id, key)
);
create index push_keys_by_run on push_keys (run_id);
create index push_keys_by_age on push_keys (created_at);

-- One push at a time per catalog, whoever asks and on whatever machine.
create unique index one_push_per_catalog on runs (catalog_id)
  where cause = 'push' and state in ('queued', 'running');

-- A source's newest run.
create index runs_of_source on runs (source_id, created_at desc) where source_id is not null;
