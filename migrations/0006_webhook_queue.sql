-- incompatible: deliveries in flight are kept elsewhere; stop older senders before this runs

-- What is still to be delivered, apart from the log of deliveries. A row is claimed, and then deleted: both change no
-- index, which is most of what a delivery used to cost. See docs/adr/0008.
create table webhook_queue (
  -- The delivery's.
  id            uuid primary key,
  catalog_id    uuid not null,
  endpoint_id   uuid not null,
  event_id      uuid not null,
  -- All attempts ever made, and how many of them failed in the present schedule: a resend begins that one anew.
  attempts      integer not null,
  schedule_step integer not null,
  due_at        timestamptz not null,
  is_retry      boolean generated always as (attempts > 0) stored,
  -- The order within a lane: of first attempts by arrival, of retries by due time, in milliseconds. So nothing that is
  -- queued later gets before what is in flight, whatever time it bears.
  turn          bigint not null,
  -- Not in any index, so that a claim stays on its page. A lease that ran out counts as none.
  lease_until   timestamptz,
  lease_token   uuid,
  foreign key (catalog_id, endpoint_id) references webhook_endpoints on delete cascade,
  check ((lease_until is null) = (lease_token is null))
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
-- Two lanes an endpoint. The claim hops from endpoint to endpoint, and reads the heads of lanes only. Without the id:
-- a planner that takes the queue for empty would look ids up in this one, by going through all of it.
create index webhook_queue_lanes on webhook_queue (endpoint_id, is_retry, turn);
create sequence webhook_queue_arrivals;

insert into webhook_queue (
  id, catalog_id, endpoint_id, event_id, attempts, schedule_step, due_at, turn, lease_until, lease_token)
select id, catalog_id, endpoint_id, event_id, attempts, schedule_step, next_attempt_at,
       case when attempts = 0 then nextval('webhook_queue_arrivals')
            else extract(epoch from next_attempt_at) * 1000 end, lease_until, lease_token
  from (select * from webhook_deliveries where state = 'pending' order by next_attempt_at, id) pending;

-- An attempt is written in the statement that has its delivery locked. A reference would look it up and lock it once
-- more for each; so its other half, attempts that go when their delivery goes, is all that is kept of it.
alter table webhook_attempts drop constraint webhook_attempts_catalog_id_delivery_id_fkey;

-- The log keeps how a delivery stands and when it is tried next. The columns that change are in no index.
drop index webhook_deliveries_queue, webhook_deliveries_leased, webhook_deliveries_by_age;
alter table webhook_deliveries
  drop constraint webhook_deliveries_pkey,
  add primary key (id),
  drop column claimable_at, drop column is_retry, drop column lease_until, drop column lease_token,
  drop column schedule_step,
  set (fillfactor = 50);
create index webhook_deliveries_by_catalog on webhook_deliveries (catalog_id, id);
create index webhook_deliveries_by_age on webhook_deliveries using brin (created_at);

-- … and that other half. A delivery that goes before it was made takes its place in the queue along too.
create function forget_webhook_deliveries() returns trigger language plpgsql set search_path from current as $$
begin
  delete from webhook_queue q using forgotten d where q.id = d.id;
  delete from webhook_attempts a using forgotten d where a.catalog_id = d.catalog_id and a.delivery_id = d.id;
  return null;
end $$;
create trigger webhook_deliveries_forgotten after delete on webhook_deliveries
  referencing old table as forgotten for each statement execute function forget_webhook_deliveries();
