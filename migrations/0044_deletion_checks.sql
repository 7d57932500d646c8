-- Between its syncs, a shop is asked every hour which products it still has. `deletion_check` has the result: how the shop was asked and when,
-- the interval in seconds, the products that were missing, and a sentence if something went wrong. Null: there was no check yet.
alter table sources add column next_deletion_check_at timestamptz not null default now() + interval '1 hour',
                    add column deletion_check jsonb;
create index sources_deletion_checks on sources (next_deletion_check_at);
