-- Why predictions failed: the symptoms of each failed verdict.
-- Inputs: score.verdict and the tables that it was given on. Grain: stated in the table's comment.

CREATE TABLE score.symptom (
    prediction_file VARCHAR, gold_file VARCHAR, config_digest VARCHAR, evaluator_version VARCHAR, place INTEGER,
    code VARCHAR, gold_column INTEGER, prediction_column INTEGER, row_count BIGINT, examples VARCHAR[], sentence VARCHAR
);
COMMENT ON TABLE score.symptom IS 'Symptoms of the failed verdicts, never overwritten. A failed verdict without a row here has not been diagnosed yet: each that was has at least one. Grain: (prediction_file, gold_file, config_digest, evaluator_version, place)';
COMMENT ON COLUMN score.symptom.prediction_file IS 'With gold_file, config_digest and evaluator_version: the verdict, as in score.verdict';
COMMENT ON COLUMN score.symptom.place IS 'Number of the symptom of this verdict, from 1';
COMMENT ON COLUMN score.symptom.code IS 'What differs; docs/codes.md lists the codes';
COMMENT ON COLUMN score.symptom.gold_column IS 'Gold column that it is about, from 0; NULL when it is about none';
COMMENT ON COLUMN score.symptom.prediction_column IS 'Prediction column that it is about, from 0; NULL when it is about none';
COMMENT ON COLUMN score.symptom.row_count IS 'How many rows show it; NULL when it is not about rows';
COMMENT ON COLUMN score.symptom.examples IS 'Up to three examples, in which long cells are cut';
COMMENT ON COLUMN score.symptom.sentence IS 'What is the case, in words';
