-- compatible: adds a table, a column and an index; older code runs on, and publishes without the guard

-- What became of each finished render. Which render the feed URLs serve is catalogs.published_run_id alone.
create table renders (
  run_id     uuid primary key references runs on delete cascade,
  catalog_id uuid not null references catalogs on delete cascade,
  -- Where its files are: that of feed_files.
  folder     uuid not null,
  -- published: it is or was served. held: outside a limit of the publish guard, waits for a decision. superseded: a newer
  -- render took the place of a held one.
  state      text not null check (state in ('published', 'held', 'discarded', 'superseded')),
  -- What the publish guard compared; null if there was nothing to compare with.
  figures    jsonb,
  -- The limits that were exceeded, each with both figures.
  exceeded   jsonb not null default '[]',
  -- Since when renders of this catalog are held: that of the first one, if another took its place.
  held_since timestamptz,
  decided_at timestamptz,
  -- Who promoted or discarded it, and why. The key may be deleted.
  decided_by text,
  decided_key_id uuid,
  reason     text,
  created_at timestamptz not null default clock_timestamp()
);
create index renders_by_catalog on renders (catalog_id, created_at desc);
create unique index one_held_render on renders (catalog_id) where state = 'held';

insert into renders (run_id, catalog_id, folder, state, created_at)
select r.id, r.catalog_id, f.folder, 'published', coalesce(r.finished_at, r.created_at)
  from runs r
  join lateral (select folder from feed_files where run_id = r.id order by file limit 1) f on true
 where r.kind = 'render' and r.state = 'succeeded';

-- Settings of the publish guard. Not among the settings of the catalog: a change of these renders everything again.
alter table catalogs add column publish_guard jsonb not null default '{}';
