-- Keep the symptoms of a batch, but for those that another process has found in the meantime.
-- Inputs: temp batch, symptom; score.symptom. Result: new rows of score.symptom, numbered in the order in which the
-- queries look: columns, cells, rows.
INSERT INTO score.symptom
SELECT
    batch.prediction_file, batch.gold_file, batch.config_digest, batch.evaluator_version,
    row_number() OVER (
        PARTITION BY symptom.pair_id
        ORDER BY symptom.gold_column NULLS LAST, symptom.prediction_column NULLS LAST, symptom.code, symptom.sentence
    ) AS place,
    symptom.code, symptom.gold_column, symptom.prediction_column, symptom.row_count, symptom.examples, symptom.sentence
FROM symptom
JOIN batch USING (pair_id)
ANTI JOIN score.symptom AS known USING (prediction_file, gold_file, config_digest, evaluator_version)
ORDER BY batch.pair_id, place;
