-- compatible: adds columns; older code runs on

-- The share of its items that this sync may remove, in place of the limit of its source: the removal was accepted.
alter table runs add column max_removed_ratio double precision;

-- The newest sync of the source that removed many of its items within the limit, until the items are back: its run, when,
-- how many it removed and how many were left.
alter table sync_health add column large_removal jsonb;

create function large_removal(run runs) returns jsonb language sql stable as $$
  select jsonb_build_object('run_id', run.id, 'at', coalesce(run.finished_at, now()), 'removed', n.removed, 'left', n.remaining)
    from (select coalesce((run.stats->>'removed')::bigint, 0) as removed,
                 coalesce((run.stats->>'upserted')::bigint, 0) + coalesce((run.stats->>'unchanged')::bigint, 0)
                 + coalesce((run.stats->>'not_read')::bigint, 0) as remaining) n
   where run.state = 'succeeded' and run.source_id is not null and run.max_removed_ratio is null
     and n.removed >= 10 and n.removed >= 0.2 * (n.removed + n.remaining)
$$;

create or replace function record_sync_health() returns trigger language plpgsql set search_path from current as $$
declare
  ended_at timestamptz := coalesce(new.finished_at, now());
  all_rows bigint := coalesce((new.stats->>'seen')::bigint, 0) + coalesce((new.stats->>'not_read')::bigint, 0);
begin
  if new.error->>'code' = 'canceled' and new.state = 'failed' then return null; end if;
  insert into sync_health as h (origin_id, catalog_id, run_id, error, finished_at, failing_since, failures,
                                success_run_id, last_success_at, seen, rejected, large_removal)
  select coalesce(new.source_id, new.catalog_id), new.catalog_id, new.id, new.error, ended_at,
         case when new.state = 'failed' then ended_at end, (new.state = 'failed')::integer,
         case when new.state = 'succeeded' then new.id end,
         case when new.state = 'succeeded' then ended_at end,
         case when new.state = 'succeeded' then all_rows else 0 end,
         case when new.state = 'succeeded' then rejected_rows(new.stats) else 0 end,
         large_removal(new)
   where new.source_id is null or exists (select 1 from sources s where s.id = new.source_id)
  on conflict (origin_id) do update
     set run_id = excluded.run_id, error = excluded.error, finished_at = excluded.finished_at,
         failing_since = case when new.state = 'failed' then coalesce(h.failing_since, excluded.failing_since) end,
         failures = case when new.state = 'failed' then h.failures + 1 else 0 end,
         success_run_id = coalesce(excluded.success_run_id, h.success_run_id),
         last_success_at = coalesce(excluded.last_success_at, h.last_success_at),
         seen = case when new.state = 'failed' then h.seen else excluded.seen end,
         rejected = case when new.state = 'failed' then h.rejected else excluded.rejected end,
         large_removal = case
           when excluded.large_removal is not null then excluded.large_removal
           when new.state = 'failed'
             or excluded.seen - excluded.rejected
                < 0.9 * ((h.large_removal->>'removed')::bigint + (h.large_removal->>'left')::bigint)
             then h.large_removal
         end;
  return null;
end $$;
