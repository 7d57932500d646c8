-- compatible: adds a table; older code runs on, and changes items without a row here, which readers notice by the gap

-- Which groups have changed items, by the snapshot of the catalog that the change has made: one row for each snapshot.
-- Rows are deleted when no render needs them any more.
create table item_changes (
  catalog_id uuid not null references catalogs on delete cascade,
  snapshot   bigint not null,
  -- Sort keys as in items; null: the change was too large to list, and any group may have changed.
  sort_keys  text[] collate "C",
  primary key (catalog_id, snapshot)
);
