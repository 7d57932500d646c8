-- compatible: adds a table; older code runs on, and sends although a restored copy should not

-- One row for each time that the database was filled from a backup, or recovered to an earlier time. While the newest row has no
-- resumed_at, the installation is a copy: it sends nothing to others, and reads no source by itself.
create table restores (
  restored_at timestamptz primary key,
  resumed_at  timestamptz
);
