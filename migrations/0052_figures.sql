-- incompatible: code from before writes the column

-- The figures that the publish guard had compared were stored with each render, 200 kB of them, and read by nothing: the limits that a
-- render exceeds have their own figures.
alter table renders drop column figures;
