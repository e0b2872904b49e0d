-- The person who made the key, so that nobody approves with a session what they have proposed with a key; NULL for the
-- operator's keys.
ALTER TABLE api_key ADD COLUMN created_by {int};
