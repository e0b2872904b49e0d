-- The programme: all concluded experiments together.

-- JSON: the lift of each variant when the experiment was concluded, with its standard error. A row is missing where there was no
-- result, and where an older release concluded the experiment. It is no column of `conclusion`, as the programme reads thousands of
-- them and the manifests there are large.
CREATE TABLE conclusion_result (
    experiment_id {int} NOT NULL PRIMARY KEY REFERENCES experiment (experiment_id),
    result        TEXT NOT NULL
) {strict};

-- When it was concluded; null while it is open.
ALTER TABLE overview ADD COLUMN concluded_at {int};
-- The variant that is served to visitors as the winner; null where none is.
ALTER TABLE overview ADD COLUMN served_arm {int};
ALTER TABLE overview ADD COLUMN hypothesis_id {int};
-- The note of the conclusion and what was learned, with letter case folded.
ALTER TABLE overview ADD COLUMN conclusion_search {text} NOT NULL DEFAULT '';

CREATE INDEX overview_concluded ON overview (company_id, concluded_at, experiment_id) WHERE concluded_at IS NOT NULL;
