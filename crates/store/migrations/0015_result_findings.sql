-- What webhooks were told of the result of an experiment, so that each is told once: a health check that fails
-- (health:sample_ratio), which goes when it fails no more, or a verdict on a variant (verdict:1:win).
CREATE TABLE result_finding (
    experiment_id {int} NOT NULL REFERENCES experiment (experiment_id),
    finding       TEXT NOT NULL,
    told_at       {int} NOT NULL,
    PRIMARY KEY (experiment_id, finding)
) {strict};
