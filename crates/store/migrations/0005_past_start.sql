-- When the change was made that opened the epoch, where that is later than started_at: an experiment that ran elsewhere was
-- given a first start of the past. Null is started_at.
ALTER TABLE epoch ADD COLUMN opened_at {int};
