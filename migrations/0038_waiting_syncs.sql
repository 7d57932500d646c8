-- What happens if the render of this run, or the one after this sync, exceeds limits of the publish guard.
alter table runs add column guard text not null default 'hold' check (guard in ('hold', 'publish'));

-- A sync that is requested while another sync of its source runs waits for it. Requests that wait for the same sync share one
-- run. A run that is tried again has a due time (due_at) and is not shared.
drop index one_sync_per_source;
create unique index one_running_sync_per_source on runs (source_id)
  where kind = 'sync' and state = 'running' and source_id is not null;
create unique index one_waiting_sync on runs (source_id, reads, coalesce(max_removed_ratio, -1))
  where kind = 'sync' and state = 'queued' and source_id is not null and due_at is null;
