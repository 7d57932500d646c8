-- compatible: adds a table

-- Who changed what: one row for each call or command that changes something, written in its transaction. Names of
-- settings only, never values. Rows are never updated; they go by age, with their catalog, or with their run.
create table changes (
  -- Version 7, so that the order of ids is the order of time.
  id          uuid primary key,
  -- Null for what concerns the whole installation, and for the removal of a catalog.
  catalog_id  uuid references catalogs on delete cascade,
  at          timestamptz not null default clock_timestamp(),
  actor       text not null check (actor in ('key', 'cli')),
  -- The name of the key at that time, or the user of the system who ran the command.
  actor_name  text not null,
  key_id      uuid,
  key_handle  text,
  -- Method and route, or the command.
  call        text not null,
  target_type text not null,
  target_id   text,
  fields      text[] not null,
  -- What was asked for was a run: its history and this row are kept equally long.
  run_id      uuid references runs on delete cascade,
  request_id  text
);
create index changes_newest on changes (catalog_id, id desc);
create index changes_by_run on changes (run_id) where run_id is not null;
create index changes_by_age on changes using brin (at);

create function refuse_changed_change() returns trigger language plpgsql as $$
begin
  raise exception 'rows of the table changes are never updated';
end $$;
create trigger changes_append_only before update on changes
  for each row execute function refuse_changed_change();
