-- compatible: adds indexes

-- The waiting runs of each catalog, by the moment from which they may be claimed. A claim jumps from catalog to catalog
-- in it and reads the first runs of each only, so that it costs the same whatever a catalog's backlog. The catalog is an
-- expression so that no condition of the claim fits another index.
create index runs_waiting
  on runs (kind, (case when state = 'queued' then catalog_id end), (coalesce(due_at, created_at)), id)
  where state = 'queued';
-- As small as what is being worked on.
create index runs_leased on runs (kind, catalog_id) include (lease_until, attempts) where state = 'running';
