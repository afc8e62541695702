-- Keep the verdicts of a batch, but for those that another process has given in the meantime.
-- Inputs: evaluator version ($1); temp batch, new_verdict; score.verdict. Result: new rows of score.verdict.
INSERT INTO score.verdict BY NAME
SELECT batch.prediction_file, batch.gold_file, batch.config_digest, $1 AS evaluator_version, new_verdict.* EXCLUDE (pair_id)
FROM new_verdict
JOIN batch USING (pair_id)
ANTI JOIN (SELECT * FROM score.verdict WHERE evaluator_version = $1) AS done
    USING (prediction_file, gold_file, config_digest)
ORDER BY batch.pair_id;
