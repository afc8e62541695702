-- Which questions are still to be sampled under a policy?
-- Inputs: policy ($1), corpus ($2, NULL for all); source.question, ledger.outcome, source.db, sampling.instance.
-- Grain: (question), in order of number. A question rejected under another policy comes again; an accepted one never.
SELECT
    question.question, question.number, question.corpus, question.qid, question.db, question.db_id, question.sql,
    coalesce((SELECT max(attempt) FROM sampling.instance WHERE instance.question = question.question), 0) AS attempts
FROM source.question AS question
JOIN ledger.outcome AS ingested
    ON ingested.stage = 'ingest' AND ingested.item = question.question AND ingested.status = 'accepted'
LEFT JOIN ledger.outcome AS outcome ON outcome.stage = 'sample' AND outcome.item = question.question
WHERE (outcome.item IS NULL OR (outcome.status = 'rejected' AND outcome.policy <> $1))
    AND ($2 IS NULL OR question.corpus = $2)
ORDER BY question.number;
