-- compatible: adds a column and an index

-- The item's source was removed and the item was kept. It counts as pushed, but nobody has named it since: the next
-- source or push that does so owns it.
alter table items add column is_left_behind boolean not null default false;
-- Nearly always empty, so that every merge can ask.
create index items_left_behind on items (catalog_id, id) where is_left_behind;
