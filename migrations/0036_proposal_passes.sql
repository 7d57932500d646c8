-- compatible: new tables, and a function that does the same for catalogs that exist; older code runs on

-- What the last complete pass of the extractors has read: a pass skips groups that it finds here. The context is a hash of
-- everything else that proposals depend on; null while a pass is running.
create table proposal_passes (
  catalog_id uuid primary key references catalogs on delete cascade,
  run_id     uuid not null,
  context    bytea,
  groups     integer not null default 0
);
-- Hashes of groups, 16 bytes each, in parts.
create table proposal_pass_groups (
  catalog_id uuid not null references proposal_passes on delete cascade,
  run_id     uuid not null,
  part       integer not null,
  hashes     bytea not null,
  primary key (catalog_id, run_id, part)
);
alter table proposal_pass_groups alter column hashes set storage external;

-- As before, except that nothing is counted for a catalog that is being deleted: its sums are deleted, too.
create or replace function count_proposals() returns trigger language plpgsql set search_path from current as $$
declare
  rows constant text := concat_ws(' union all ',
    case when tg_op <> 'DELETE' then 'select 1 as n, * from added' end,
    case when tg_op <> 'INSERT' then 'select -1 as n, * from removed' end);
begin
  execute format($sums$
    with sums as materialized (
      select catalog_id, state, group_key, min(field) as field, sum(n) as items, sum(n * gain::numeric) as gain,
             coalesce(min(confidence) filter (where n = 1), 1) as confidence,
             coalesce(sum(n) filter (where not is_grounded), 0) as ungrounded,
             coalesce(sum(n) filter (where is_generated), 0) as generated
        from (%s) r where catalog_id in (select id from catalogs) group by catalog_id, state, group_key),
    counted as (
      insert into proposal_counts as c
      select catalog_id, state, sum(items) from sums group by catalog_id, state having sum(items) <> 0
      on conflict (catalog_id, state) do update set items = c.items + excluded.items)
    insert into proposal_groups as g
    select * from sums
     where items <> 0 or gain <> 0 or ungrounded <> 0 or generated <> 0
     order by catalog_id, state, group_key
    on conflict (catalog_id, state, group_key)
    do update set items = g.items + excluded.items, gain = g.gain + excluded.gain,
                  confidence = least(g.confidence, excluded.confidence),
                  ungrounded = g.ungrounded + excluded.ungrounded, generated = g.generated + excluded.generated
  $sums$, rows);
  if tg_op <> 'INSERT' then
    delete from proposal_groups g using (select distinct catalog_id, state, group_key from removed) r
     where g.catalog_id = r.catalog_id and g.state = r.state and g.group_key = r.group_key and g.items = 0;
  end if;
  return null;
end $$;
