-- compatible: adds a table and a function

-- A test of a source that a caller waits for: the request goes to a worker in this table, and the answer comes back in
-- it. Rows live for seconds. Request and answer are sealed, since settings hold the shop's credentials.
create table source_tests (
  id           uuid primary key,
  catalog_id   uuid not null references catalogs on delete cascade,
  request      bytea not null,
  -- Null until a worker has answered.
  answer       bytea,
  -- The caller extends this while it waits.
  wanted_until timestamptz not null,
  -- The worker that reads the source, and its lease. Null: not claimed yet.
  owner        uuid,
  lease_until  timestamptz,
  created_at   timestamptz not null default clock_timestamp()
);
create index source_tests_by_catalog on source_tests (catalog_id);

-- The open tests of a catalog, counted under a lock that is kept until the transaction ends. A moment further away than
-- a minute was written before the clock was set back.
create function count_source_tests(catalog uuid) returns bigint
language plpgsql volatile set search_path from current as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(current_schema() || ':source_tests:' || catalog::text, 0));
  return (select count(*) from source_tests
           where catalog_id = catalog and answer is null
             and (case when owner is null then wanted_until else lease_until end)
                 between clock_timestamp() and clock_timestamp() + interval '1 minute');
end $$;
