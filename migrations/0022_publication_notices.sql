-- compatible: adds a function and triggers

-- Servers cache for a moment what a feed URL serves (docs/adr/0024). They are notified whichever statement changes it.
create function announce_publication() returns trigger language plpgsql set search_path from current as $$
begin
  perform pg_notify(current_schema() || '_notices',
                    json_build_object('about', 'published', 'id', to_jsonb(new)->>tg_argv[0])::text);
  return null;
end $$;
create trigger catalogs_published
  after update of published_run_id, feed_token_hash, previous_feed_token_hash, previous_feed_token_until on catalogs
  for each row execute function announce_publication('id');
create trigger catalogs_removed after insert on removed_catalogs
  for each row execute function announce_publication('catalog_id');
