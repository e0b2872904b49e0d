-- Deliveries of one webhook that wait, in their order: requests are shared out by company, so they are no longer looked for
-- in the order of all webhooks.
CREATE INDEX webhook_delivery_waiting ON webhook_delivery (webhook_id, next_at) WHERE next_at IS NOT NULL;
DROP INDEX webhook_delivery_due;
