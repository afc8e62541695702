-- Take a batch of questions: new ones get numbers and outcomes, known ones are left, changed ones are refused.
-- Inputs: incoming (ordinal, question, corpus, qid, db_id, question_text, sql, source_sql, evidence, language, split,
-- difficulty, extra), one row per question of the set; source.db, source.question, ledger.outcome.
-- Grain: one row per new question in source.question, one outcome per question.

-- A question whose database came later: bind it now.
CREATE OR REPLACE TEMP TABLE resolved AS
SELECT question.question, db.db
FROM source.question AS question
JOIN incoming ON incoming.question = question.question
JOIN source.db AS db ON db.corpus = question.corpus AND db.db_id = question.db_id
WHERE question.db IS NULL;

UPDATE source.question SET db = resolved.db FROM resolved WHERE resolved.question = source.question.question;

DELETE FROM ledger.outcome
WHERE stage = 'ingest' AND code = 'database_not_ingested' AND item IN (SELECT question FROM resolved);

-- Same id, other content: refused under an id of its own, so that the first one stays what it was.
CREATE OR REPLACE TEMP TABLE conflict AS
SELECT incoming.corpus, incoming.qid, 'conflict:' || md5(concat_ws(chr(0), incoming.question, incoming.db_id, incoming.question_text, incoming.sql)) AS item
FROM incoming
JOIN source.question AS question ON question.question = incoming.question
WHERE (question.db_id, question.question_text, coalesce(question.sql, '')) <> (incoming.db_id, incoming.question_text, coalesce(incoming.sql, ''));

INSERT INTO ledger.outcome BY NAME
SELECT 'ingest' AS stage, item, corpus, 'rejected' AS status, 'question_conflict' AS code,
    'the corpus already holds question ' || qid || ' with other content' AS message
FROM conflict
WHERE item NOT IN (SELECT item FROM ledger.outcome WHERE stage = 'ingest');

CREATE OR REPLACE TEMP TABLE fresh AS
SELECT incoming.*, db.db
FROM incoming
LEFT JOIN source.db AS db ON db.corpus = incoming.corpus AND db.db_id = incoming.db_id
WHERE incoming.question NOT IN (SELECT question FROM source.question);

INSERT INTO source.question BY NAME
SELECT
    question, (SELECT coalesce(max(number), 0) FROM source.question) + row_number() OVER (ORDER BY ordinal) AS number,
    corpus, qid, db, db_id, question_text, sql, source_sql, evidence, language, split, difficulty, extra
FROM fresh
ORDER BY ordinal;

INSERT INTO ledger.outcome BY NAME
SELECT
    'ingest' AS stage, question.question AS item, question.corpus,
    CASE WHEN question.db IS NULL THEN 'rejected' ELSE 'accepted' END AS status,
    CASE WHEN question.db IS NULL THEN 'database_not_ingested' END AS code,
    CASE WHEN question.db IS NULL
        THEN 'question ' || question.qid || ' asks of database ' || question.db_id || ', which the corpus does not hold' END AS message
FROM source.question AS question
WHERE question.question IN (SELECT question FROM fresh UNION ALL SELECT question FROM resolved)
ORDER BY question.number;
