-- The person who invited, or who made the key that did: their invitations end when they are removed. NULL for the operator, and
-- for invitations of earlier versions, which have the name alone.
ALTER TABLE invitation ADD COLUMN inviter_id {int};
