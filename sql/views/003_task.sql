-- Which tasks are there: question, database, sizes, gold and configuration in force?
-- Inputs: sampling.instance, workspace.task_version, source.question, source.db, evaluation.*. Grain: (task).
CREATE OR REPLACE VIEW workspace.task AS
WITH latest AS (
    SELECT task, max(version) AS version FROM workspace.task_version GROUP BY task
), config AS (
    SELECT task, max_by(version, version) AS config_version, max_by(digest, version) AS config_digest
    FROM evaluation.config GROUP BY task
)
SELECT
    version.task, version.task_name, version.version, question.corpus, question.qid, question.db_id,
    question.question_text, question.sql, question.evidence, question.language, question.difficulty,
    instance.row_count, instance.gold_rows, instance.gold_columns, instance.order_sensitive,
    version.artifact_count, version.bytes, gold.file AS gold_file, config.config_version, config.config_digest
FROM latest
JOIN workspace.task_version AS version ON version.task = latest.task AND version.version = latest.version
JOIN sampling.instance AS instance ON instance.task = version.task AND instance.attempt = version.attempt
JOIN source.question AS question ON question.question = instance.question
JOIN evaluation.gold AS gold ON gold.task = version.task
JOIN config ON config.task = version.task;
COMMENT ON VIEW workspace.task IS 'The finished tasks, one row each, with what belongs to them. Grain: (task)';
