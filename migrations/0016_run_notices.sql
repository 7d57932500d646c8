-- compatible: adds a function and triggers

-- Every change of a run's state is announced, whichever statement makes it: event streams of the API pass it on.
create function announce_run() returns trigger language plpgsql set search_path from current as $$
begin
  perform pg_notify(current_schema() || '_notices',
                    json_build_object('about', 'run', 'id', new.id, 'catalogId', new.catalog_id)::text);
  return null;
end $$;
create trigger runs_inserted after insert on runs for each row execute function announce_run();
create trigger runs_changed after update of state on runs
  for each row when (old.state is distinct from new.state) execute function announce_run();
