-- All settings of a project, as JSON; NULL for the defaults. They were in five columns of three shapes.
ALTER TABLE project ADD COLUMN settings TEXT;
