-- compatible: adds columns that may be null

-- A hash of the row that the item was read from, and the first bytes of the fingerprint that the item had then: an item that
-- an older version changed has no valid key. Null if the row gave a warning: it has to be read again to give it again.
alter table items add column row_key bytea;
-- The settings and the version of the normalizer that the rows were read with.
alter table sources add column row_context text;
