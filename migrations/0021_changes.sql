-- compatible: adds columns that may be null or have a default, tables, and replaces a function of the same signature

-- The shop's product that the item was read from. A read of some products replaces the items of exactly these products.
alter table items add column product_key text collate "C";
create index items_by_product on items (source_id, product_key) where product_key is not null;

-- What the last read leaves for reads of some products: the settings it was made with, the newest change that it saw by the shop's
-- clock, when everything was last read, and the products with rejected rows. Null: the next read is a complete one.
alter table sources add column read_state jsonb;

-- What a sync reads: everything, what changed since the last read, or the products in `changed_products`.
alter table runs add column reads text not null default 'all' check (reads in ('all', 'changes', 'products'));

-- Products that the shop reported as changed. They are read soon; the report itself is never used as data.
create table changed_products (
  source_id   uuid not null references sources on delete cascade,
  product_key text collate "C" not null,
  noted_at    timestamptz not null default clock_timestamp(),
  primary key (source_id, product_key)
);

-- The webhooks that we have at a shop. A row outlives its source until they are removed from the shop, so it has what that needs.
create table shop_webhooks (
  -- Part of the address that the shop calls.
  id             uuid primary key,
  source_id      uuid unique references sources on delete set null,
  kind           text not null,
  settings       jsonb not null,
  secrets_sealed bytea,
  -- What the shop signs with, or sends.
  secret_sealed  bytea not null,
  status         text not null check (status in ('pending', 'active', 'off')),
  -- Why it is off.
  message        text,
  checked_at     timestamptz,
  next_check_at  timestamptz not null default now(),
  failures       integer not null default 0
);
create index shop_webhooks_due on shop_webhooks (next_check_at);

-- The rows of a success include those that were not read because they had not changed.
create or replace function record_sync_health() returns trigger language plpgsql set search_path from current as $$
declare
  ended_at timestamptz := coalesce(new.finished_at, now());
  all_rows bigint := coalesce((new.stats->>'seen')::bigint, 0) + coalesce((new.stats->>'not_read')::bigint, 0);
begin
  if new.error->>'code' = 'canceled' and new.state = 'failed' then return null; end if;
  insert into sync_health as h (origin_id, catalog_id, run_id, error, finished_at, failing_since, failures,
                                success_run_id, last_success_at, seen, rejected)
  select coalesce(new.source_id, new.catalog_id), new.catalog_id, new.id, new.error, ended_at,
         case when new.state = 'failed' then ended_at end, (new.state = 'failed')::integer,
         case when new.state = 'succeeded' then new.id end,
         case when new.state = 'succeeded' then ended_at end,
         case when new.state = 'succeeded' then all_rows else 0 end,
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
