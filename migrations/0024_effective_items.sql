-- compatible: adds columns that may be null, tables and a run kind; older code runs on

-- What rules and approved proposals make of the item; null: the same as the source's. It is valid as long as the source's item
-- has the fingerprint that it was computed from. See docs/adr/0025.
alter table items add column effective_body text;
alter table items add column effective_fingerprint bytea;
alter table items add column effective_from bytea;

-- Goes up with each change of rules, category mappings or approved proposals. 0: there has never been any.
alter table catalogs add column effects_version integer not null default 0;
-- That of the newest change of rules or category mappings, which may concern any item.
alter table catalogs add column rules_version integer not null default 0;
-- Up to which version the effective items have been computed.
alter table catalogs add column applied_version integer not null default 0;

-- The snapshot for which values were proposed last.
alter table catalogs add column proposed_snapshot bigint not null default 0;

-- The newest version of a catalog's rules is in force. The rules are text because SQL never looks inside. The version is the
-- effects_version of the change.
create table rule_sets (
  catalog_id uuid not null references catalogs on delete cascade,
  version    integer not null,
  rules      text not null,
  note       text,
  -- The API key that saved it; null for the command line.
  key_id     text,
  created_at timestamptz not null default clock_timestamp(),
  primary key (catalog_id, version)
);

-- Which of Google's categories one of the merchant's own category paths means. Null: none, by decision.
create table category_mappings (
  catalog_id uuid not null references catalogs on delete cascade,
  path       text collate "C" not null,
  category   text,
  key_id     text,
  decided_at timestamptz not null default clock_timestamp(),
  primary key (catalog_id, path)
);

-- The merchant's category paths, as the last search for proposals has counted them.
create table category_paths (
  catalog_id  uuid not null references catalogs on delete cascade,
  path        text collate "C" not null,
  items       bigint not null,
  -- How many of them have a Google category without a mapping.
  categorized bigint not null,
  titles      text[] not null,
  suggestions jsonb not null default '[]',
  primary key (catalog_id, path)
);

-- Values that were proposed for single items. An approved one applies as long as the source's value is the one that it was
-- decided against, or until a person decides again.
create table proposals (
  id          uuid primary key,
  catalog_id  uuid not null references catalogs on delete cascade,
  item_id     text collate "C" not null,
  field       text not null,
  value       text not null,
  -- What the item had in this field when it was proposed, to show it; null: nothing.
  current     text,
  -- Of the source's value.
  source_hash bytea not null,
  -- Of a conflicted one: the value that the source has now.
  conflict_hash bytea,
  extractor   text not null,
  version     integer not null,
  evidence    jsonb not null default '[]',
  confidence  real not null,
  is_grounded boolean not null,
  -- A model wrote the text: feeds must say so.
  is_generated boolean not null default false,
  -- The finding that it resolves, and the points that it alone gains, as a fraction of the catalog's score.
  rule        text,
  gain        double precision not null default 0,
  state       text not null default 'pending'
              check (state in ('pending', 'approved', 'rejected', 'stale', 'conflicted', 'retired')),
  -- Equal for proposals that a person decides on together: extractor, field and value.
  group_key   bytea not null,
  -- The pass that proposed it last: a pending one that the next pass does not propose is stale.
  run_id      uuid,
  created_at  timestamptz not null default clock_timestamp(),
  decided_at  timestamptz,
  key_id      text,
  reason      text,
  -- Of the last decision that changed the effective item.
  effects_version integer
);
-- A rejected idea is not raised again.
create unique index proposals_once on proposals (catalog_id, item_id, field, extractor, md5(value));
create unique index one_overlay_per_field on proposals (catalog_id, item_id, field)
  where state in ('approved', 'conflicted');
create index proposals_by_group on proposals (catalog_id, state, group_key, item_id);
create index proposals_by_version on proposals (catalog_id, effects_version) where effects_version is not null;

alter table runs drop constraint runs_kind_check;
alter table runs add constraint runs_kind_check
  check (kind in ('sync', 'render', 'audit', 'removal', 'rules', 'proposals', 'plan'));
-- One that waits is enough: it does everything that is to be done when it begins.
create unique index one_waiting_enrichment on runs (catalog_id, kind)
  where kind in ('rules', 'proposals') and state = 'queued';

-- What a dry run is about. Its result is in the statistics of the run.
create table plans (
  run_id  uuid primary key references runs on delete cascade,
  request text not null
);
