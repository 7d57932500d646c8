-- An endpoint that gets no new deliveries: disabled after days of failures, or by a person.
alter table webhook_endpoints add column disabled_at timestamptz;
alter table webhook_endpoints add column disabled_by text check (disabled_by in ('failures', 'request'));
alter table webhook_endpoints add check ((disabled_at is null) = (disabled_by is null));

-- discarded: the event happened while its endpoint was disabled. No attempt is made, unless it is sent again.
alter table webhook_deliveries drop constraint webhook_deliveries_state_check;
alter table webhook_deliveries add constraint webhook_deliveries_state_check
  check (state in ('pending', 'delivered', 'dead', 'discarded'));
