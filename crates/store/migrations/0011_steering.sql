-- Settings that did nothing and act from now on: the clock looks at the results of experiments that are live with them.
UPDATE experiment SET is_watched = 2
WHERE is_watched < 2 AND status = 'live' AND deleted_at IS NULL AND concluded_at IS NULL AND serving <> 'winner'
  AND configuration LIKE '%"is_autopilot":1%';
UPDATE experiment SET is_watched = 3
WHERE is_watched = 0 AND status = 'live' AND deleted_at IS NULL AND concluded_at IS NULL AND serving <> 'winner'
  AND configuration LIKE '%"is_mab":1%';
