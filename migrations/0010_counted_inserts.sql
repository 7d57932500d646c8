-- compatible: adds a function

-- How many a catalog has, counted under a lock that is kept until the transaction ends: an insert that depends on it is
-- exact, also when many are made at once. Each statement of the function sees what others have committed meanwhile.
create function count_under_lock(what text, catalog uuid) returns bigint
language plpgsql volatile set search_path from current as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(current_schema() || ':' || what || ':' || catalog::text, 0));
  return case what
    when 'sources' then (select count(*) from sources where catalog_id = catalog)
    when 'keys' then (select count(*) from api_keys where catalog_id = catalog and revoked_at is null
                         and (expires_at is null or expires_at > now()))
    when 'webhooks' then (select count(*) from webhook_endpoints where catalog_id = catalog)
  end;
end $$;
