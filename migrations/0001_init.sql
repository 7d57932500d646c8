-- compatible: first schema

-- A shop's catalog. Counts and snapshot are kept by the merge transaction, so nobody has to count a million rows.
create table catalogs (
  id                uuid primary key,
  slug              text not null unique,
  name              text not null,
  settings          jsonb not null default '{}',
  settings_version  bigint not null default 1,
  -- Readers of a feed prove themselves by the token; only its hash is searched, the sealed token is for showing it.
  feed_token_hash   bytea not null,
  feed_token_sealed bytea not null,
  item_count        bigint not null default 0,
  snapshot          bigint not null default 0,
  snapshot_at       timestamptz not null default now(),
  -- The render whose files the feed URLs serve: the one switch of a publication.
  published_run_id  uuid,
  -- When time alone will change a feed (a sale starts or ends). Null: never.
  stale_at          timestamptz,
  created_at        timestamptz not null default now()
);

create table api_keys (
  id           uuid primary key,
  catalog_id   uuid not null references catalogs on delete cascade,
  name         text not null,
  handle       text not null unique,
  secret_hash  bytea not null,
  scopes       text[] not null,
  created_at   timestamptz not null default now(),
  expires_at   timestamptz,
  revoked_at   timestamptz,
  last_used_at timestamptz
);
create index api_keys_by_catalog on api_keys (catalog_id, created_at);

create table sources (
  id                uuid primary key,
  catalog_id        uuid not null references catalogs on delete cascade,
  kind              text not null,
  name              text not null,
  settings          jsonb not null,
  secrets_sealed    bytea,
  enabled           boolean not null default true,
  interval_s        integer not null,
  max_removed_ratio double precision not null default 0.5,
  next_sync_at      timestamptz not null default now(),
  -- What the last complete read left to ask "has anything changed?" with, and the numbers it ended in.
  validators        jsonb,
  item_count        bigint not null default 0,
  created_at        timestamptz not null default now()
);
create index sources_by_catalog on sources (catalog_id, created_at);
create index sources_due on sources (next_sync_at) where enabled;

-- A run is its own job: queued, claimed under a lease, finished. See docs/adr/0003.
create table runs (
  id           uuid primary key,
  catalog_id   uuid not null references catalogs on delete cascade,
  -- No foreign key: the history outlives a removed source.
  source_id    uuid,
  kind         text not null check (kind in ('sync', 'render')),
  state        text not null check (state in ('queued', 'running', 'succeeded', 'failed')),
  cause        text not null,
  cause_run_id uuid,
  stats        jsonb not null default '{}',
  error        jsonb,
  created_at   timestamptz not null default clock_timestamp(),
  started_at   timestamptz,
  finished_at  timestamptz,
  owner        uuid,
  lease_until  timestamptz,
  attempts     integer not null default 0
);
create index runs_newest on runs (catalog_id, kind, created_at desc, id desc);
create index runs_open on runs (created_at) where state in ('queued', 'running');
create index runs_by_cause on runs (cause_run_id) where cause_run_id is not null;
-- One sync at a time per source, and one render at a time per catalog, whoever asks and on whatever machine.
create unique index one_sync_per_source on runs (source_id)
  where kind = 'sync' and state in ('queued', 'running') and source_id is not null;
create unique index one_render_per_catalog on runs (catalog_id) where kind = 'render' and state = 'running';

-- The catalog. The body is text because SQL never looks inside: jsonb would cost a third of the speed in and out.
-- The key carries what the merge compares, so that an unchanged catalog is compared without touching a body.
create table items (
  catalog_id  uuid not null,
  id          text collate "C" not null,
  source_id   uuid,
  fingerprint bytea not null,
  -- Feed order: variants of a group stand together. sort_key is the group's id, or the item's own.
  sort_key    text collate "C" not null,
  group_id    text collate "C",
  body        text not null,
  primary key (catalog_id, id) include (source_id, fingerprint)
);
create index items_in_feed_order on items (catalog_id, sort_key, group_id, id);

create table feed_files (
  run_id        uuid not null references runs on delete cascade,
  file          text not null,
  -- The folder that holds the bytes: named by the attempt that wrote them, of this render or of an earlier one.
  folder        uuid not null,
  sha256        text not null,
  bytes         bigint not null,
  gzip_bytes    bigint not null,
  zstd_bytes    bigint not null,
  changed       boolean not null,
  last_modified timestamptz not null,
  written       bigint not null,
  excluded      bigint not null,
  primary key (run_id, file)
);
