-- Which prediction columns count the rows, and are not gold's?
-- Inputs: temp shape, lone_column, change; evaluation.table_row, table_file, text_reading. Result: temp symptom.
-- From 0 or from 1. A single row counts only in a column that is named as an index is.
INSERT INTO symptom
WITH candidate AS (
    SELECT pair_id, file_no, column_index FROM lone_column WHERE sign = -1
    UNION ALL
    SELECT pair_id, shape.prediction_no, change.prediction_index
    FROM change
    JOIN shape USING (pair_id)
    WHERE change.changed > 0 AND NOT change.evident
), start AS (
    SELECT DISTINCT candidate.file_no, candidate.column_index, reading.size AS first
    FROM candidate
    JOIN evaluation.table_row AS line ON line.file_no = candidate.file_no AND line.row = 0
    JOIN evaluation.text_reading AS reading ON reading.text_id = line.cells[candidate.column_index + 1]
    WHERE reading.number_form IN (canon_form(0, 1, 1)) AND reading.size IN (0, 1)
), counting AS (
    SELECT start.file_no, start.column_index, start.first, count(*) AS n
    FROM start
    JOIN evaluation.table_row AS line ON line.file_no = start.file_no
    JOIN evaluation.text_reading AS reading ON reading.text_id = line.cells[start.column_index + 1]
    GROUP BY ALL
    HAVING bool_and(
        coalesce(
            canon_form_kind(reading.number_form) = 1 AND canon_form_scale(reading.number_form) BETWEEN 0 AND 9
            AND reading.size = (line.row + start.first) * canon_power(canon_form_scale(reading.number_form)),
            false
        )
    )
)
SELECT
    candidate.pair_id, 'index_column_added', NULL, candidate.column_index, counting.n, [],
    format('prediction column {} only counts the rows, from {}', candidate.column_index, counting.first)
FROM candidate
JOIN counting USING (file_no, column_index)
JOIN evaluation.table_file AS file USING (file_no)
WHERE counting.n > 1
    OR regexp_full_match(lower(trim(file.header[candidate.column_index + 1])), '|index|idx|row|no|id|#|unnamed: [0-9]+');
