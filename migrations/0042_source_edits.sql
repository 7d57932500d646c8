-- When a person changed settings of the source whose effect the publish guard must not hold; null after the first sync with them.
alter table sources add column edited_at timestamptz;
