-- Since when a holdout has its visitors and its experiments: its result counts from then on.
ALTER TABLE exclusion_group ADD COLUMN held_since {int};

UPDATE exclusion_group SET held_since = created_at WHERE kind = 'holdout';
