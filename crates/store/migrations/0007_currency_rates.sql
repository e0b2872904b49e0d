-- What other currencies are worth: JSON object with the currency of the project and rates by day. Null is no table.
ALTER TABLE project ADD COLUMN currency_rates TEXT;
-- Counts the changes of it.
ALTER TABLE project ADD COLUMN currency_rates_revision {int} NOT NULL DEFAULT 0;
