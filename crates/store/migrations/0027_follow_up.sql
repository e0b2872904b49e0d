-- The hypothesis that continues a concluded test.
ALTER TABLE conclusion ADD COLUMN follow_up_hypothesis_id {int};
