-- Names a hypothesis in files and scripts, as experiment_key and goal_key name those. Hypotheses that are there already get
-- one from their id, which the program then replaces with one from their text.
ALTER TABLE hypothesis ADD COLUMN slug TEXT NOT NULL DEFAULT '';
UPDATE hypothesis SET slug = 'hypothesis-' || hypothesis_id;
CREATE UNIQUE INDEX hypothesis_slug ON hypothesis (project_id, slug);
-- Pages of a project's keys, in the order of their ids.
CREATE INDEX experiment_ids ON experiment (project_id, experiment_id);
CREATE INDEX hypothesis_ids ON hypothesis (project_id, hypothesis_id);
