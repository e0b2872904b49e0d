-- Migration 31 has copied them to project.settings.
ALTER TABLE project DROP COLUMN page_settings;
ALTER TABLE project DROP COLUMN editors_have_code;
ALTER TABLE project DROP COLUMN approve_code;
ALTER TABLE project DROP COLUMN approve_live;
ALTER TABLE project DROP COLUMN stop_on_page_harm;
