-- Which accepted instances are still to be rendered?
-- Inputs: corpus ($1, NULL for all); sampling.instance, sampling.policy, source.question, ledger.outcome.
-- Grain: (task), in order of the question's number.
SELECT
    instance.task, instance.attempt, question.number, question.corpus, question.db_id, question.sql,
    instance.artifact, instance.gold_artifact, instance.order_sensitive,
    json_extract(policy.body, '$.seed')::BIGINT AS base_seed
FROM sampling.instance AS instance
JOIN sampling.policy AS policy ON policy.policy = instance.policy
JOIN source.question AS question ON question.question = instance.question
WHERE instance.status = 'accepted'
    AND instance.task NOT IN (SELECT item FROM ledger.outcome WHERE stage = 'render')
    AND ($1 IS NULL OR question.corpus = $1)
ORDER BY question.number;
