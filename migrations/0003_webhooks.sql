-- compatible: new tables only

-- Who is told, and whether telling them works. Deleting an endpoint drops everything queued for it.
create table webhook_endpoints (
  catalog_id             uuid not null references catalogs on delete cascade,
  id                     uuid not null,
  url                    text not null,
  events                 text[] not null,
  secret_sealed          bytea not null,
  -- During a rotation both secrets sign, until this moment.
  previous_secret_sealed bytea,
  previous_secret_until  timestamptz,
  created_at             timestamptz not null default now(),
  -- Health, as real deliveries and tests saw it. failing_since is null while the newest word is a success.
  last_success_at        timestamptz,
  failing_since          timestamptz,
  last_failure_at        timestamptz,
  last_failure           text,
  primary key (catalog_id, id),
  unique (id)
) with (fillfactor = 70);

-- What happened. The payload is stored once; every attempt at every endpoint sends exactly these bytes.
create table webhook_events (
  catalog_id uuid not null references catalogs on delete cascade,
  id         uuid not null,
  type       text not null,
  payload    text not null,
  created_at timestamptz not null,
  primary key (catalog_id, id)
);
create index webhook_events_by_age on webhook_events using brin (created_at);

-- One event for one endpoint: the queue and, afterwards, the log. Its catalog is reached through event and endpoint:
-- a reference of its own would make every delivery wait for the merge that has the catalog locked.
create table webhook_deliveries (
  catalog_id      uuid not null,
  -- Version 7, so the primary key lists a catalog's deliveries in the order they were made.
  id              uuid not null,
  event_id        uuid not null,
  endpoint_id     uuid not null,
  state           text not null default 'pending' check (state in ('pending', 'delivered', 'dead')),
  -- All attempts ever made, and how many of them failed in the present schedule: a resend begins that one anew.
  attempts        integer not null default 0,
  schedule_step   integer not null default 0,
  next_attempt_at timestamptz,
  lease_until     timestamptz,
  lease_token     uuid,
  created_at      timestamptz not null,
  finished_at     timestamptz,
  -- A lease that ran out is due like anything else: nobody has to sweep after the dead.
  claimable_at    timestamptz generated always as (coalesce(lease_until, next_attempt_at)) stored,
  is_retry        boolean generated always as (attempts > 0) stored,
  primary key (catalog_id, id),
  unique (event_id, endpoint_id),
  foreign key (catalog_id, event_id) references webhook_events on delete cascade,
  foreign key (catalog_id, endpoint_id) references webhook_endpoints on delete cascade,
  check ((state = 'pending') = (next_attempt_at is not null)),
  check ((lease_until is null) = (lease_token is null))
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
-- The claim hops from endpoint to endpoint in this one, and reads from each only what it will take.
create index webhook_deliveries_queue on webhook_deliveries (endpoint_id, is_retry, claimable_at)
  where state = 'pending';
-- As small as what is in flight: how full an endpoint is.
create index webhook_deliveries_leased on webhook_deliveries (endpoint_id) where lease_until is not null;
create index webhook_deliveries_by_age on webhook_deliveries using brin (finished_at);

-- What each attempt met. Written once, pruned by age.
create table webhook_attempts (
  catalog_id    uuid not null,
  delivery_id   uuid not null,
  number        integer not null,
  started_at    timestamptz not null,
  -- The waterfall, in milliseconds. Zero for the steps that a kept connection spares; null for those never reached.
  dns_ms        real,
  connect_ms    real,
  tls_ms        real,
  first_byte_ms real,
  total_ms      real not null,
  address       text,
  status        integer,
  -- Null for a success.
  error         text,
  message       text,
  -- Where a redirect pointed. It was not followed.
  location      text,
  -- The first 16 KiB of the answer.
  answer        bytea,
  primary key (catalog_id, delivery_id, number),
  foreign key (catalog_id, delivery_id) references webhook_deliveries on delete cascade
);
create index webhook_attempts_by_age on webhook_attempts using brin (started_at);
