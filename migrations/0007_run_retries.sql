-- compatible: adds a column

-- A queued run is claimed from this moment on; null: at once. Set when a run failed for a reason of ours and is retried.
alter table runs add column due_at timestamptz;
