-- How the script behaves on the project's pages: JSON object. Null is all of the defaults.
ALTER TABLE project ADD COLUMN page_settings TEXT;
-- Counts the changes of it.
ALTER TABLE project ADD COLUMN page_settings_revision {int} NOT NULL DEFAULT 0;
