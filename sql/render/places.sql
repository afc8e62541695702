-- In which file of its workspace is each table of the rendered tasks?
-- Inputs: corpus ($1, NULL for all); workspace.task, workspace.representation. Grain: (task, table_name).
SELECT place.task, place.table_name, place.path, place.format, place.column_types
FROM workspace.task AS task
JOIN workspace.representation AS place ON place.task = task.task AND place.version = task.version
WHERE $1 IS NULL OR task.corpus = $1
QUALIFY row_number() OVER (PARTITION BY place.task, place.table_name ORDER BY place.path) = 1;
