-- What does one need to rebuild and answer each rendered task?
-- Inputs: corpus ($1, NULL for all); workspace.task, sampling.instance. Grain: (task), in order of number.
SELECT task.task, task.task_name, task.sql, instance.artifact
FROM workspace.task AS task
JOIN sampling.instance AS instance ON instance.task = task.task AND instance.status = 'accepted'
WHERE $1 IS NULL OR task.corpus = $1
ORDER BY length(task.task_name), task.task_name;
