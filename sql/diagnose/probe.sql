-- Which columns must be read, and which first rows of them, to find out which columns belong together?
-- Inputs: temp shape, config_rule; evaluation.table_row.
-- Results: temp wanted_column, grain (column_no): gold columns under their own rules, the prediction's under all; temp
-- cell, grain (file_no, column_index, row).
CREATE OR REPLACE TEMP TABLE wanted_column AS
SELECT row_number() OVER ()::INTEGER AS column_no, *
FROM (
    SELECT shape.gold_no AS file_no, config_rule.gold_index AS column_index, config_rule.rule_id
    FROM shape
    JOIN config_rule USING (config_id)
    UNION
    SELECT shape.prediction_no, place.range::INTEGER, rule.rule_id
    FROM shape
    JOIN (SELECT DISTINCT config_id, rule_id FROM config_rule) AS rule USING (config_id)
    JOIN range(64) AS place ON place.range < shape.prediction_width
);

CREATE OR REPLACE TEMP TABLE cell AS
SELECT line.file_no, line.row, unnest(line.cells) AS text_id, unnest(range(len(line.cells)))::INTEGER AS column_index
FROM evaluation.table_row AS line
JOIN (
    SELECT file_no, max(sampled) AS sampled
    FROM (SELECT gold_no AS file_no, sampled FROM shape UNION ALL SELECT prediction_no, sampled FROM shape)
    GROUP BY file_no
) AS file ON file.file_no = line.file_no
WHERE line.row < file.sampled;
