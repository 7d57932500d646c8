-- compatible: adds tables, a column and triggers; older code runs on

-- The last fetch of each hosted file from its URL. Servers write in batches; the newest time wins.
create table feed_fetches (
  catalog_id uuid not null references catalogs on delete cascade,
  file       text not null,
  fetched_at timestamptz not null,
  -- Who it was, from the User-Agent.
  fetched_by text,
  status     integer not null,
  primary key (catalog_id, file)
) with (fillfactor = 50);

-- How the syncs of each source went, and the pushes of each catalog. Runs are pruned and may be many; this says at once
-- when the last success was and how often it failed since. Canceled runs do not count.
create table sync_health (
  -- The source, or the catalog for its pushes. No foreign key: a lock on a source would wait for long changes of it.
  origin_id       uuid primary key,
  catalog_id      uuid not null references catalogs on delete cascade,
  run_id          uuid not null,
  error           jsonb,
  finished_at     timestamptz not null,
  -- The first failure after the last success; null if the newest run succeeded.
  failing_since   timestamptz,
  failures        integer not null,
  -- The last success, its rows, and those that were rejected although the shop publishes them.
  success_run_id  uuid,
  last_success_at timestamptz,
  seen            bigint not null default 0,
  rejected        bigint not null default 0
);
create index sync_health_by_catalog on sync_health (catalog_id);

-- Unpublished products are rejected on purpose.
create function rejected_rows(stats jsonb) returns bigint language sql immutable as $$
  select greatest(0, coalesce((stats->>'rejected')::bigint, 0)
                     - coalesce((stats->'rejection_codes'->>'unpublished')::bigint, 0))
$$;

insert into sync_health
select o.id, o.catalog_id, last.id, last.error, last.finished_at, streak.since, streak.failures,
       good.id, good.finished_at, coalesce((good.stats->>'seen')::bigint, 0),
       rejected_rows(coalesce(good.stats, '{}'))
  from (select id, catalog_id, id as source_id from sources
        union all select id, id, null from catalogs) o
 cross join lateral (
   select id, error, finished_at from runs r
    where r.catalog_id = o.catalog_id and r.kind = 'sync' and r.source_id is not distinct from o.source_id
      and r.state in ('succeeded', 'failed') and r.error->>'code' is distinct from 'canceled'
    order by created_at desc, id desc limit 1) last
  left join lateral (
   select id, stats, finished_at, created_at from runs r
    where r.catalog_id = o.catalog_id and r.kind = 'sync' and r.source_id is not distinct from o.source_id
      and r.state = 'succeeded'
    order by created_at desc, id desc limit 1) good on true
 cross join lateral (
   select count(*)::integer as failures, min(finished_at) as since from runs r
    where r.catalog_id = o.catalog_id and r.kind = 'sync' and r.source_id is not distinct from o.source_id
      and r.state = 'failed' and r.error->>'code' is distinct from 'canceled'
      and (good.created_at is null or r.created_at > good.created_at)) streak
 where last.finished_at is not null;

create function record_sync_health() returns trigger language plpgsql set search_path from current as $$
declare
  ended_at timestamptz := coalesce(new.finished_at, now());
begin
  if new.error->>'code' = 'canceled' and new.state = 'failed' then return null; end if;
  insert into sync_health as h (origin_id, catalog_id, run_id, error, finished_at, failing_since, failures,
                                success_run_id, last_success_at, seen, rejected)
  select coalesce(new.source_id, new.catalog_id), new.catalog_id, new.id, new.error, ended_at,
         case when new.state = 'failed' then ended_at end, (new.state = 'failed')::integer,
         case when new.state = 'succeeded' then new.id end,
         case when new.state = 'succeeded' then ended_at end,
         case when new.state = 'succeeded' then coalesce((new.stats->>'seen')::bigint, 0) else 0 end,
         case when new.state = 'succeeded' then rejected_rows(new.stats) else 0 end
   where new.source_id is null or exists (select 1 from sources s where s.id = new.source_id)
  on conflict (origin_id) do update
     set run_id = excluded.run_id, error = excluded.error, finished_at = excluded.finished_at,
         failing_since = case when new.state = 'failed' then coalesce(h.failing_since, excluded.failing_since) end,
         failures = case when new.state = 'failed' then h.failures + 1 else 0 end,
         success_run_id = coalesce(excluded.success_run_id, h.success_run_id),
         last_success_at = coalesce(excluded.last_success_at, h.last_success_at),
         seen = case when new.state = 'failed' then h.seen else excluded.seen end,
         rejected = case when new.state = 'failed' then h.rejected else excluded.rejected end;
  return null;
end $$;
create trigger runs_sync_ended after update of state on runs for each row
  when (new.kind = 'sync' and new.state in ('succeeded', 'failed') and old.state is distinct from new.state)
  execute function record_sync_health();

create function forget_sync_health() returns trigger language plpgsql set search_path from current as $$
begin
  delete from sync_health h using deleted d where h.origin_id = d.id;
  return null;
end $$;
create trigger sources_health_deleted after delete on sources referencing old table as deleted
  for each statement execute function forget_sync_health();

-- What an overview shows of a report: the ceiling and the rules to look at first. The report itself is large. Null until
-- the next audit, which follows the next sync.
alter table audits add column highlights jsonb;
