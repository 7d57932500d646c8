-- compatible: adds a column; older code runs on

-- The rules_version that values were last proposed for: proposals that rules or category mappings have made needless are
-- outdated by the next pass.
alter table catalogs add column proposed_rules integer not null default 0;
