-- compatible: adds indexes

-- The waiting runs of each catalog, by the moment from which they may be claimed. A claim jumps from catalog to catalog
-- in it and reads the first runs of each only, so that it costs the same whatever a catalog's backlog.
create index runs_waiting on runs (kind, catalog_id, (coalesce(due_at, created_at)), id) where state = 'queued';
-- As small as what is being worked on.
create index runs_leased on runs (kind, catalog_id) include (lease_until, attempts) where state = 'running';
