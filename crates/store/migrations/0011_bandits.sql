-- Bandits that are live already: from now on the clock looks at their results.
UPDATE experiment SET is_watched = 3
WHERE is_watched = 0 AND status = 'live' AND deleted_at IS NULL AND concluded_at IS NULL AND serving <> 'winner'
  AND configuration LIKE '%"is_mab":1%';
