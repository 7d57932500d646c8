-- compatible: adds a column, and allows one more value

-- A push may be a file of any format that a feed URL may have. It is stored as it was sent and read by the worker.
alter table pushes drop constraint pushes_format_check;
alter table pushes add constraint pushes_format_check check (format in ('json', 'json_lines', 'file'));

-- How a file is read: the charset of its Content-Type, and settings such as `columns`. Null for the other formats.
alter table pushes add column file jsonb;
