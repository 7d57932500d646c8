-- compatible: adds columns that may be null; older code runs on, and publishes although publication is paused

-- After a rollback, renders are held until a person releases publication. Null: it is not paused.
alter table catalogs add column publication_paused_at timestamptz;
-- Who rolled back, and why. The key may be deleted.
alter table catalogs add column publication_paused_by text;
alter table catalogs add column publication_paused_key_id uuid;
alter table catalogs add column publication_pause_reason text;

-- Of a rollback: the render whose files it brought back.
alter table renders add column restores uuid;
-- Since when the files are not kept any more. Set before they are deleted: a rollback never finds half of them.
alter table renders add column removed_at timestamptz;
create index renders_kept on renders (catalog_id, folder) where removed_at is null;
