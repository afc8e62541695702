-- Which sampled questions have an outcome that does not fit their instances?
-- Inputs: ledger.outcome, sampling.instance. Grain: one sentence per such question; no rows when all is well.
-- A rejected question may have no instance: its gold SQL can be refused before any attempt.
WITH attempted AS (
    SELECT
        question, bool_or(status = 'accepted') AS accepted, any_value(corpus) AS corpus,
        coalesce(max_by(policy, attempt) FILTER (status = 'accepted'), max_by(policy, attempt)) AS policy
    FROM sampling.instance
    GROUP BY question
), decided AS (
    SELECT item AS question, status, corpus, code, policy FROM ledger.outcome WHERE stage = 'sample'
)
SELECT
    CASE
        WHEN decided.question IS NULL THEN format('question {} has an instance, but no outcome', attempted.question)
        WHEN decided.status = 'accepted' AND attempted.accepted IS NOT TRUE
            THEN format('question {} is accepted, but has no accepted instance', decided.question)
        WHEN decided.status <> 'accepted' AND attempted.accepted
            THEN format('question {} is {}, but has an accepted instance', decided.question, decided.status)
        WHEN (decided.status = 'rejected') IS DISTINCT FROM (decided.code IS NOT NULL)
            THEN format('question {} is {}, its code being {}', decided.question, decided.status, coalesce(decided.code, 'NULL'))
        ELSE format('question {} has an instance of another corpus or policy than its outcome', decided.question)
    END AS breach
FROM decided
FULL JOIN attempted ON attempted.question = decided.question
WHERE decided.question IS NULL
    OR (decided.status = 'accepted') IS DISTINCT FROM coalesce(attempted.accepted, false)
    OR (decided.status = 'rejected') IS DISTINCT FROM (decided.code IS NOT NULL)
    OR (attempted.accepted AND (decided.corpus, decided.policy) IS DISTINCT FROM (attempted.corpus, attempted.policy));
