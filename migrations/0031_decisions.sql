-- incompatible: from here on the items of a catalog are locked in another way; stop older workers before this runs

-- Each change of what is done to source items, and each rejection: one row for a call, however many values it is about.
create table decisions (
  id             uuid primary key,
  catalog_id     uuid not null references catalogs on delete cascade,
  action         text not null check (action in ('rules', 'categories', 'approve', 'reject', 'withdraw')),
  -- How many: a saved rule set is one, a category path is one, a proposal is one.
  changes        integer not null,
  -- The effects_version of the change; null if no effective item can have changed.
  version        integer,
  created_at     timestamptz not null default clock_timestamp(),
  -- It was undone; null version: no effective item can have changed.
  undone_at      timestamptz,
  undone_version integer
);
create index decisions_by_catalog on decisions (catalog_id, id);

-- The last decision about the proposal, and what it was before: undoing the decision brings it back.
alter table proposals add column decision_id uuid;
alter table proposals add column before jsonb;
create index proposals_by_decision on proposals (decision_id) where decision_id is not null;

-- The variant whose text is the evidence, if it is another item: when it changes, the value is looked at again.
alter table proposals add column sibling_id text collate "C";
create index proposals_by_sibling on proposals (catalog_id, sibling_id)
  where sibling_id is not null and state in ('approved', 'conflicted');

-- Pending values of models and assistants, which no pass makes again.
create index proposals_external on proposals (catalog_id, id)
  where state = 'pending' and (extractor = 'mcp' or extractor like 'model:%');

-- The points of the item's own score: the share in the catalog's is computed when it is shown, so that proposals
-- need not be written again when the number of items changes.
update proposals p set gain = p.gain * c.item_count from catalogs c where c.id = p.catalog_id;

-- Sums over proposals, kept by triggers: a list of groups must not read a million proposals.
create table proposal_groups (
  catalog_id uuid not null references catalogs on delete cascade,
  state      text not null,
  group_key  bytea not null,
  field      text not null,
  items      bigint not null,
  -- Exact, so that adding and subtracting leave nothing.
  gain       numeric not null,
  -- The lowest that any of them has or had.
  confidence real not null,
  ungrounded bigint not null,
  generated  bigint not null,
  primary key (catalog_id, state, group_key)
);
create index proposal_groups_by_gain on proposal_groups (catalog_id, state, gain, items, group_key);
create index proposal_groups_by_field on proposal_groups (catalog_id, state, field, gain, items, group_key);

create table proposal_counts (
  catalog_id uuid not null references catalogs on delete cascade,
  state      text not null,
  items      bigint not null,
  primary key (catalog_id, state)
);

insert into proposal_groups
select catalog_id, state, group_key, min(field), count(*), sum(gain::numeric), min(confidence),
       count(*) filter (where not is_grounded), count(*) filter (where is_generated)
  from proposals group by catalog_id, state, group_key;
insert into proposal_counts select catalog_id, state, count(*) from proposals group by catalog_id, state;

-- Writers of one catalog's proposals hold a lock of their own (lockProposals), so these rows cause no deadlock.
create function count_proposals() returns trigger language plpgsql set search_path from current as $$
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
        from (%s) r group by catalog_id, state, group_key),
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
create trigger proposals_added after insert on proposals referencing new table as added
  for each statement execute function count_proposals();
create trigger proposals_changed after update on proposals referencing new table as added old table as removed
  for each statement execute function count_proposals();
create trigger proposals_removed after delete on proposals referencing old table as removed
  for each statement execute function count_proposals();
