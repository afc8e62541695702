-- What are the fingerprints of the wanted columns?
-- Inputs: temp wanted_column, column_code. Results: new rows of evaluation.column_reading; temp read_column and
-- read_code, which keep the inputs for the comparison of rows.
-- A file without rows has no cells; its columns are readable and all equal.
INSERT INTO evaluation.column_reading
SELECT
    wanted.file_no, wanted.column_index, wanted.rule_id, coalesce(reading.readable, true),
    coalesce(reading.values_hash, 0), coalesce(reading.sequence_hash, 0), version()
FROM wanted_column AS wanted
LEFT JOIN (
    SELECT
        column_no, bool_and(code IS NOT NULL) AS readable,
        (sum(hash(code)) % 9223372036854775783)::BIGINT AS values_hash,
        (sum(hash(code, row)) % 9223372036854775783)::BIGINT AS sequence_hash
    FROM column_code
    GROUP BY column_no
) AS reading USING (column_no);

CREATE OR REPLACE TEMP TABLE read_column AS FROM wanted_column;

DROP TABLE IF EXISTS read_code;

ALTER TABLE column_code RENAME TO read_code;
