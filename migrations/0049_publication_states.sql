-- incompatible: a render that is held no longer ends as a failed run, and only the served render is published; stop older workers first

-- When its files were first served; null if they never were.
alter table renders add column published_at timestamptz;
update renders e set published_at = coalesce(e.decided_at, r.finished_at, e.created_at)
  from runs r where r.id = e.run_id and e.state = 'published';

-- published: the feed URLs serve its files. held: outside a limit of the publish guard, waits for a decision. discarded: a
-- person decided against it. superseded: a newer render has taken its place, after it was served or while it was held.
update renders e set state = 'superseded'
 where state = 'published'
   and not exists (select 1 from catalogs c where c.id = e.catalog_id and c.published_run_id = e.run_id);
create unique index one_published_render on renders (catalog_id) where state = 'published';

-- The run that made a held render has done its work.
update runs set state = 'succeeded', error = null
 where kind = 'render' and state = 'failed' and error ->> 'code' = 'render_held';
