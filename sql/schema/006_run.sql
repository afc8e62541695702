-- Runs: what agents predicted.
-- Inputs: workspace.task_version. Grain: stated in each table's comment.

CREATE SCHEMA run;

CREATE TABLE run.experiment (run VARCHAR, corpus VARCHAR);
COMMENT ON TABLE run.experiment IS 'One row per run: one agent over the tasks of a corpus or of the whole lake. Grain: (run)';
COMMENT ON COLUMN run.experiment.run IS 'Name of the run';
COMMENT ON COLUMN run.experiment.corpus IS 'Corpus whose tasks it must answer; NULL: all tasks of the lake';

CREATE TABLE run.prediction (run VARCHAR, task VARCHAR, task_name VARCHAR, file VARCHAR, bytes BIGINT, code VARCHAR, problem VARCHAR);
COMMENT ON TABLE run.prediction IS 'The prediction of a run for a task; a task without a row has none. Grain: (run, task)';
COMMENT ON COLUMN run.prediction.file IS 'SHA-256 of the prediction''s bytes; NULL when the file could not be taken';
COMMENT ON COLUMN run.prediction.code IS 'unusable_file or unsafe_path; NULL when the file was taken';
COMMENT ON COLUMN run.prediction.problem IS 'Why it could not be taken (a link, a directory, too large ...); NULL when it was';
