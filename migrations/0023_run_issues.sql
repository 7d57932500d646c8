-- compatible: adds a table and a column that may be null

-- The rejections and warnings of a run with their messages, as JSON compressed with zstd, for the newest runs of each
-- source. The statistics of a run have up to a hundred of each.
create table run_issues (
  run_id uuid primary key references runs on delete cascade,
  issues bytea not null
);
alter table run_issues alter column issues set storage external;

-- The newest push that replaced the pushed items. The audit counts the rows that it rejected, so the run is not pruned.
alter table catalogs add column replaced_run_id uuid;
