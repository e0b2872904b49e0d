-- The most that one order can plausibly be worth. Null: no limit was set.
ALTER TABLE goal ADD COLUMN max_order_value {real};
-- ISO 4217. Null: that of most buyers.
ALTER TABLE goal ADD COLUMN currency TEXT;
