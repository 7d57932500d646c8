-- Pushes of a catalog wait for each other in the order in which they came, and small ones that wait are applied together.
drop index one_push_per_catalog;
create index open_pushes on runs (catalog_id, created_at, id) where cause = 'push' and state in ('queued', 'running');

-- A small body, as it was sent apart from its Content-Encoding. A larger one is in push_chunks.
alter table pushes add column body bytea;

-- The render after a push, if it is the render of an earlier push.
alter table runs add column render_run_id uuid;
-- The items that a push changed or removed, if it was applied together with others: their render does not say whose they are.
alter table runs add column item_ids jsonb;
