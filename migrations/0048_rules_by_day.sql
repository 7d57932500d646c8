-- When the rules must be applied again, because they count days and the day changes.
alter table catalogs add column rules_due_at timestamptz;
create index catalogs_with_due_rules on catalogs (rules_due_at) where rules_due_at is not null;
