-- 1 when the clock ends experiments of the project whose pages are known to be harmed.
ALTER TABLE project ADD COLUMN stop_on_page_harm {int} NOT NULL DEFAULT 0;
