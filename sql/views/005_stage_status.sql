-- How far is every stage: items accepted, rejected and pending, and rejections by code?
-- Inputs: ledger.outcome, source.question, sampling.instance, workspace.task, run.*, score.task_result.
-- Grain: (stage, corpus, status, code); code is NULL unless rejected. For score, accepted means passed.
CREATE OR REPLACE VIEW ledger.stage_status AS
WITH item AS (
    SELECT 'ingest' AS stage, corpus, status, code FROM ledger.outcome WHERE stage = 'ingest'
    UNION ALL
    SELECT 'sample', question.corpus, coalesce(outcome.status, 'pending'), outcome.code
    FROM ledger.outcome AS ingested
    JOIN source.question AS question ON question.question = ingested.item
    LEFT JOIN ledger.outcome AS outcome ON outcome.stage = 'sample' AND outcome.item = question.question
    WHERE ingested.stage = 'ingest' AND ingested.status = 'accepted'
    UNION ALL
    SELECT 'render', instance.corpus, coalesce(outcome.status, 'pending'), outcome.code
    FROM sampling.instance AS instance
    LEFT JOIN ledger.outcome AS outcome ON outcome.stage = 'render' AND outcome.item = instance.task
    WHERE instance.status = 'accepted'
    UNION ALL
    SELECT
        'run', due.corpus,
        CASE due.prediction_file WHEN 'missing' THEN 'pending' WHEN 'unusable' THEN 'rejected' ELSE 'accepted' END,
        due.code
    FROM score.due AS due
    UNION ALL
    SELECT stage, corpus, status, code FROM ledger.outcome WHERE stage = 'run'
    UNION ALL
    SELECT
        'score', corpus, CASE WHEN passed IS NULL THEN 'pending' WHEN passed THEN 'accepted' ELSE 'rejected' END,
        error_code
    FROM score.task_result
)
SELECT stage, corpus, status, code, count(*) AS items
FROM item
GROUP BY ALL;
COMMENT ON VIEW ledger.stage_status IS 'Items of every stage by status and rejection code; for score, accepted means passed. Grain: (stage, corpus, status, code)';
