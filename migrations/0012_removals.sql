-- compatible: adds tables, a run kind and triggers; older code runs on

-- Removing much takes long, so it is a job. See pipeline/removal.
alter table runs drop constraint runs_kind_check;
alter table runs add constraint runs_kind_check check (kind in ('sync', 'render', 'audit', 'removal'));

-- A source that was removed while some of its items still bear its id. The row is deleted with the last of them.
create table removed_sources (
  id         uuid primary key,
  catalog_id uuid not null references catalogs on delete cascade,
  -- What becomes of its items.
  items      text not null check (items in ('keep', 'remove')),
  -- How many still bear the source's id, and how many the job has handled.
  item_count bigint not null,
  handled    bigint not null default 0,
  -- Items up to this id are done.
  after_id   text collate "C" not null default '',
  created_at timestamptz not null default now()
);
create index removed_sources_by_catalog on removed_sources (catalog_id);

-- A catalog that was removed while its rows are being deleted: to everyone but that job it does not exist.
create table removed_catalogs (
  catalog_id uuid primary key references catalogs on delete cascade,
  created_at timestamptz not null default now()
);

-- How many sources each catalog has, so that adding one costs the same however many there are.
create table source_counts (
  catalog_id uuid primary key references catalogs on delete cascade,
  count      bigint not null
);
insert into source_counts select catalog_id, count(*) from sources group by catalog_id;

create function count_added_sources() returns trigger
language plpgsql set search_path from current as $$
begin
  insert into source_counts as c (catalog_id, count) select catalog_id, count(*) from added group by catalog_id
  on conflict (catalog_id) do update set count = c.count + excluded.count;
  return null;
end $$;
create trigger sources_added after insert on sources referencing new table as added
  for each statement execute function count_added_sources();

create function count_deleted_sources() returns trigger
language plpgsql set search_path from current as $$
begin
  update source_counts c set count = c.count - d.count
    from (select catalog_id, count(*) as count from deleted group by catalog_id) d where c.catalog_id = d.catalog_id;
  return null;
end $$;
create trigger sources_deleted after delete on sources referencing old table as deleted
  for each statement execute function count_deleted_sources();

-- As count_under_lock, without counting.
create function count_sources_under_lock(catalog uuid) returns bigint
language plpgsql volatile set search_path from current as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(current_schema() || ':sources:' || catalog::text, 0));
  return coalesce((select count from source_counts where catalog_id = catalog), 0);
end $$;
