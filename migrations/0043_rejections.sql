-- The rejections of the last read with the products that they belong to, as compressed JSON. A read of some products keeps those of the
-- other products. Null: they are not known, so the next read is a complete one.
alter table sources add column rejections bytea;
