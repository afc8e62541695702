-- What belongs to a task by its name: which files its workspace has, which table is in which file, and which source rows were drawn?
-- Inputs: workspace.task, workspace.artifact, workspace.representation, sampling.instance, sampling.selected_row, source.question.
-- Grain: (task, path); (task, table_name, path); (task, table_name, _rowid). Of finished tasks the version in force; rows of all accepted instances.
CREATE OR REPLACE VIEW workspace.task_file AS
SELECT
    task.task, task.task_name, task.corpus, task.db_id, artifact.path, artifact.format, artifact.artifact,
    artifact.bytes, artifact.row_count
FROM workspace.task AS task
JOIN workspace.artifact AS artifact ON artifact.task = task.task AND artifact.version = task.version;
COMMENT ON VIEW workspace.task_file IS 'Files of the finished tasks'' workspaces, by task name. Grain: (task, path)';

CREATE OR REPLACE VIEW workspace.task_table AS
SELECT
    task.task, task.task_name, task.corpus, task.db_id, place.table_name, place.path, place.format, place.row_count,
    place.relation_hash, place.column_types, place.tried
FROM workspace.task AS task
JOIN workspace.representation AS place ON place.task = task.task AND place.version = task.version;
COMMENT ON VIEW workspace.task_table IS 'Which file of a finished task holds which table, by task name. Grain: (task, table_name, path)';

CREATE OR REPLACE VIEW sampling.task_row AS
SELECT
    selected.task, 'task_' || question.number AS task_name, question.corpus, question.db_id, selected.table_name,
    selected._rowid, selected.reason
FROM sampling.selected_row AS selected
JOIN sampling.instance AS instance
    ON instance.task = selected.task AND instance.attempt = selected.attempt AND instance.status = 'accepted'
JOIN source.question AS question ON question.question = instance.question;
COMMENT ON VIEW sampling.task_row IS 'Source rows of the accepted instances, by task name. Grain: (task, table_name, _rowid)';
