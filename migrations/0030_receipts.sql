-- compatible: adds a run kind; older code runs on

-- A dry run of a sync has its own kind, and so its own slots: a slow shop must not delay the dry runs of rules.
alter table runs drop constraint runs_kind_check;
alter table runs add constraint runs_kind_check
  check (kind in ('sync', 'render', 'audit', 'removal', 'rules', 'proposals', 'plan', 'sync_plan'));
