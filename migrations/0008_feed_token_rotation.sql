-- compatible: adds columns

-- After a rotation the previous token opens the feeds too, until this moment.
alter table catalogs
  add column previous_feed_token_hash bytea,
  add column previous_feed_token_until timestamptz;
