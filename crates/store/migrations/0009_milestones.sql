-- The moments of an experiment's past that its results depend on, so that a result does not
-- read the history of changes. Each is that of the last such change.

-- The first start. Null: it never started.
ALTER TABLE experiment ADD COLUMN first_started_at {int};
-- When it was started: later than first_started_at where it was given a start of the past.
ALTER TABLE experiment ADD COLUMN first_opened_at {int};
-- The planned total of visitors as of the first start. Null: none was planned.
ALTER TABLE experiment ADD COLUMN planned_visitors {int};
-- When a winner began to be served. Null: none ever was.
ALTER TABLE experiment ADD COLUMN deployed_at {int};
-- When it stopped being live. Null: it is live, or never was.
ALTER TABLE experiment ADD COLUMN ended_at {int};
-- When the code of all arms, and that of the control, was changed. Null: never.
ALTER TABLE experiment ADD COLUMN code_redefined_at {int};
ALTER TABLE experiment ADD COLUMN control_redefined_at {int};
-- The most variants that it had at the same time.
ALTER TABLE experiment ADD COLUMN most_variants {int} NOT NULL DEFAULT 0;
-- When the variant with this number became something else to visitors: its code, changes or
-- audience were changed, or another variant had the number before. Null: never.
ALTER TABLE variant ADD COLUMN redefined_at {int};
