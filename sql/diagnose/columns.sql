-- Which gold columns are in no prediction column, and which prediction columns are in no gold column?
-- Inputs: temp shape, matched; evaluation.table_row, table_file, text. Result: temp symptom.
CREATE OR REPLACE TEMP TABLE lone_column AS
SELECT shape.pair_id, 1 AS sign, shape.gold_no AS file_no, place.range::INTEGER AS column_index
FROM shape
JOIN range(64) AS place ON place.range < shape.gold_width
ANTI JOIN matched ON matched.pair_id = shape.pair_id AND matched.gold_index = place.range
UNION ALL
SELECT shape.pair_id, -1, shape.prediction_no, place.range::INTEGER
FROM shape
JOIN range(64) AS place ON place.range < shape.prediction_width
ANTI JOIN matched ON matched.pair_id = shape.pair_id AND matched.prediction_index = place.range;

INSERT INTO symptom
WITH sample AS (
    SELECT
        file.file_no, file.column_index, list(diagnose_cell(text.text) ORDER BY line.row) AS texts
    FROM (SELECT DISTINCT file_no, column_index FROM lone_column) AS file
    JOIN evaluation.table_row AS line ON line.file_no = file.file_no
    JOIN evaluation.text AS text ON text.text_id = line.cells[file.column_index + 1]
    WHERE line.row < 3
    GROUP BY ALL
), partner AS (
    SELECT
        pair_id,
        list('gold ' || gold_index || ' = prediction ' || prediction_index ORDER BY gold_index) AS partners
    FROM matched
    GROUP BY pair_id
)
SELECT
    lone.pair_id, CASE lone.sign WHEN 1 THEN 'missing_column' ELSE 'extra_column' END,
    CASE lone.sign WHEN 1 THEN lone.column_index END, CASE lone.sign WHEN -1 THEN lone.column_index END, NULL,
    coalesce(sample.texts, []),
    CASE lone.sign
        WHEN 1 THEN format('gold column {} ', lone.column_index) || diagnose_cell(file.header[lone.column_index + 1])
            || ' is in no column of the prediction'
        ELSE format('prediction column {} ', lone.column_index) || diagnose_cell(file.header[lone.column_index + 1])
            || ' is no column of gold'
    END
    || CASE
        WHEN partner.partners IS NULL THEN '; no other column is matched'
        ELSE '; matched: ' || array_to_string(partner.partners[:12], ', ') || CASE WHEN len(partner.partners) > 12 THEN ', …' ELSE '' END
    END
FROM lone_column AS lone
JOIN evaluation.table_file AS file ON file.file_no = lone.file_no
LEFT JOIN sample ON sample.file_no = lone.file_no AND sample.column_index = lone.column_index
LEFT JOIN partner ON partner.pair_id = lone.pair_id;
