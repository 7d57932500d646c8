-- Whether all files of a feed URL have ended with a line end so far; null until a file was read. A file without one may be cut off.
alter table sources add column ends_with_line_end boolean;
