-- compatible: adds tables, a column and a run kind; older code runs on

-- Tells catalogs apart in one index over all of them: see verdicts_by_rule.
alter table catalogs add column number integer generated always as identity unique;
-- The audit whose verdicts are kept.
alter table catalogs add column audit_run_id uuid;

-- Catalogs that were published before there were audits get one with their next render: soon, by the rounds.
update catalogs set stale_at = now() where published_run_id is not null;

alter table runs drop constraint runs_kind_check;
alter table runs add constraint runs_kind_check check (kind in ('sync', 'render', 'audit'));

-- One row an audit; the whole explanation is kept for the newest only, the history needs the numbers.
create table audits (
  run_id         uuid primary key references runs on delete cascade,
  catalog_id     uuid not null references catalogs on delete cascade,
  -- The snapshot, settings and renderer it was made with, and the rules: an audit of the same would say the same
  -- until `same_until`, as long as the syncs are as fresh.
  base           text not null,
  freshness      text not null,
  ruleset        text not null,
  same_until     timestamptz,
  score          integer not null,
  grade          text not null,
  items          bigint not null,
  previous_score integer,
  report         text,
  change         text,
  created_at     timestamptz not null default clock_timestamp()
);
create index audits_newest on audits (catalog_id, created_at desc, run_id desc);

-- What the newest audit found on every item: eleven bytes for five findings, null for none. Faultless items have a
-- row, too: without it, the next audit could not tell an item that stayed from one that came.
create table verdicts (
  catalog_id uuid not null,
  item_id    text collate "C" not null,
  verdict    bytea,
  -- catalogs.number * 256 + rule number, one for each finding: "which items have this problem" for one catalog is
  -- one key of the index, however many catalogs there are.
  tags       integer[],
  primary key (catalog_id, item_id)
);
create index verdicts_by_rule on verdicts using gin (tags);
