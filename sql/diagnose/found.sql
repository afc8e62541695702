-- The symptoms found, in the order in which they are kept. Input: temp symptom. Grain: one row per symptom.
SELECT pair_id, code, gold_column, prediction_column, row_count, examples, sentence
FROM symptom
ORDER BY pair_id, gold_column NULLS LAST, prediction_column NULLS LAST, code, sentence;
