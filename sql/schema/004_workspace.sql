-- Workspaces: the files an agent sees for a task.
-- Inputs: sampling.instance. Grain: stated in each table's comment.

CREATE SCHEMA workspace;

CREATE TABLE workspace.task_version (
    task VARCHAR, version INTEGER, task_name VARCHAR, attempt INTEGER, seed BIGINT, artifact_count INTEGER, bytes BIGINT
);
COMMENT ON TABLE workspace.task_version IS 'One row per rendered version of a task''s workspace. Grain: (task, version)';
COMMENT ON COLUMN workspace.task_version.version IS 'From 1';
COMMENT ON COLUMN workspace.task_version.task_name IS 'task_N, N being the number of the question';
COMMENT ON COLUMN workspace.task_version.attempt IS 'The sampled instance it shows';
COMMENT ON COLUMN workspace.task_version.seed IS 'Seed of the routing, derived from the policy''s seed and the instance';
COMMENT ON COLUMN workspace.task_version.artifact_count IS 'Files in the workspace';
COMMENT ON COLUMN workspace.task_version.bytes IS 'Bytes in the workspace';

CREATE TABLE workspace.artifact (
    task VARCHAR, version INTEGER, path VARCHAR, format VARCHAR, artifact VARCHAR, bytes BIGINT, row_count BIGINT
);
COMMENT ON TABLE workspace.artifact IS 'One row per file of a workspace. Grain: (task, version, path)';
COMMENT ON COLUMN workspace.artifact.path IS 'Path under context/';
COMMENT ON COLUMN workspace.artifact.format IS 'csv, json or sqlite';
COMMENT ON COLUMN workspace.artifact.artifact IS 'SHA-256 of the file';
COMMENT ON COLUMN workspace.artifact.bytes IS 'Size in bytes';
COMMENT ON COLUMN workspace.artifact.row_count IS 'Rows of all tables in it';

CREATE TABLE workspace.representation (
    task VARCHAR, version INTEGER, table_name VARCHAR, path VARCHAR, format VARCHAR, row_count BIGINT,
    relation_hash VARCHAR, column_types VARCHAR, tried VARCHAR
);
COMMENT ON TABLE workspace.representation IS 'Which file holds which table, each checked by parsing the file again (Eq. 16). Grain: (task, version, table_name, path)';
COMMENT ON COLUMN workspace.representation.relation_hash IS 'SHA-256 of the canonical relation, equal before rendering and after parsing';
COMMENT ON COLUMN workspace.representation.column_types IS 'The schema side record that the parser needs, as JSON: column name and cell type';
COMMENT ON COLUMN workspace.representation.tried IS 'Formats that were considered and passed over, each with its reason, as JSON';
