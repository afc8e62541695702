-- Sampled instances: which rows of a source belong to a task, and why.
-- Inputs: source.*. Grain: stated in each table's comment. An instance is membership, not a copy; its SQLite file is an artifact.

CREATE SCHEMA sampling;

CREATE TABLE sampling.policy (policy VARCHAR, body VARCHAR);
COMMENT ON TABLE sampling.policy IS 'One row per sampling policy used. Grain: (policy)';
COMMENT ON COLUMN sampling.policy.policy IS 'Content id over body';
COMMENT ON COLUMN sampling.policy.body IS 'The policy as canonical JSON';

CREATE TABLE sampling.instance (
    task VARCHAR, attempt INTEGER, question VARCHAR, db VARCHAR, corpus VARCHAR, policy VARCHAR, seed BIGINT,
    status VARCHAR, code VARCHAR, message VARCHAR, artifact VARCHAR, row_count BIGINT,
    gold_artifact VARCHAR, gold_rows BIGINT, gold_columns INTEGER, source_rows BIGINT, order_sensitive BOOLEAN,
    sql_hash VARCHAR
);
COMMENT ON TABLE sampling.instance IS 'One row per attempt to sample a task-local database for a question. Grain: (task, attempt)';
COMMENT ON COLUMN sampling.instance.task IS 'Content id over the question';
COMMENT ON COLUMN sampling.instance.attempt IS 'From 1; at most one attempt of a task is accepted';
COMMENT ON COLUMN sampling.instance.seed IS 'Seed derived from the policy''s seed, the question and the attempt';
COMMENT ON COLUMN sampling.instance.status IS 'accepted or failed';
COMMENT ON COLUMN sampling.instance.code IS 'Why the attempt failed; NULL when accepted';
COMMENT ON COLUMN sampling.instance.artifact IS 'SHA-256 of the instance''s SQLite file; NULL when it was not built';
COMMENT ON COLUMN sampling.instance.row_count IS 'Rows in the instance';
COMMENT ON COLUMN sampling.instance.gold_artifact IS 'SHA-256 of the gold CSV: the gold SQL run on the instance';
COMMENT ON COLUMN sampling.instance.gold_rows IS 'Rows of the gold';
COMMENT ON COLUMN sampling.instance.gold_columns IS 'Columns of the gold';
COMMENT ON COLUMN sampling.instance.source_rows IS 'Rows that the gold SQL returns on the whole source';
COMMENT ON COLUMN sampling.instance.order_sensitive IS 'The outermost query has an ORDER BY';
COMMENT ON COLUMN sampling.instance.sql_hash IS 'SHA-256 of the gold SQL';

CREATE TABLE sampling.selected_row (task VARCHAR, attempt INTEGER, table_name VARCHAR, _rowid BIGINT, reason VARCHAR);
COMMENT ON TABLE sampling.selected_row IS 'Rows of the source that belong to an accepted instance. Grain: (task, table_name, _rowid)';
COMMENT ON COLUMN sampling.selected_row._rowid IS '_rowid in the source table';
COMMENT ON COLUMN sampling.selected_row.reason IS 'budget: drawn by the seeded sample; closure: parent of a selected row';

CREATE TABLE sampling.check_result (task VARCHAR, attempt INTEGER, name VARCHAR, held BOOLEAN, detail VARCHAR);
COMMENT ON TABLE sampling.check_result IS 'Structural and execution checks of an attempt. Grain: (task, attempt, name)';
COMMENT ON COLUMN sampling.check_result.name IS 'inventory, row_counts, foreign_keys, execution, arity or degenerate';
COMMENT ON COLUMN sampling.check_result.held IS 'Whether the check held';
COMMENT ON COLUMN sampling.check_result.detail IS 'What was seen, one sentence';
