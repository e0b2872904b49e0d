-- Which stretch of the line each arm has: JSON array of [end, arm], ends in
-- hundredths of a percent. Null is one stretch per arm in their order.
ALTER TABLE experiment ADD COLUMN allocation TEXT;
