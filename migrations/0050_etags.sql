-- incompatible: columns get other names; stop older workers and servers first

-- A file is identified by the hash over the hashes of its segments, not by the hash of its bytes. Rows from before keep the
-- value that was served.
alter table feed_files rename column sha256 to etag;
alter table destination_deliveries rename column sha256 to etag;
alter table feed_consumers rename column last_sha256 to last_etag;

-- When the stored bytes of a published render were last compared with what was written.
alter table renders add column checked_at timestamptz;
create index renders_to_check on renders (coalesce(checked_at, published_at)) where state = 'published';
