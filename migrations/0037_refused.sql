-- Files have every item that the merchant does not leave out; this counts those that the destination will refuse.
alter table feed_files add column refused bigint not null default 0;
