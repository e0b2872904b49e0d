-- When currency_rates was changed last. Null: never, or before this was noted.
ALTER TABLE project ADD COLUMN currency_rates_changed_at {int};
