-- Files have every item that the merchant does not leave out; this counts those that the destination will refuse.
alter table feed_files add column refused bigint not null default 0;

-- The limit of the publish guard counts refused items, too, and has another name.
update catalogs
   set publish_guard = jsonb_set(publish_guard #- '{limits,items_left_out}', '{limits,items_refused}',
                                 publish_guard #> '{limits,items_left_out}')
 where publish_guard -> 'limits' ? 'items_left_out';
update renders set exceeded = replace(exceeded::text, '"items_left_out"', '"items_refused"')::jsonb
 where exceeded::text like '%"items_left_out"%';
