-- Which predictions hold gold's columns as rows?
-- Inputs: temp shape, config_rule, wanted_column, column_code of the probe (gold of up to 64 rows is in it whole).
-- Results: temp symptom, transposed; temp shape without them, for there is nothing else to say of their columns.
-- The prediction may lead each row with the column's name, and may have lost one to its header.
CREATE OR REPLACE TEMP TABLE transposed AS
WITH square AS MATERIALIZED (
    SELECT *
    FROM shape
    WHERE gold_rows BETWEEN 1 AND 64 AND gold_rows * gold_width > 1 AND prediction_width - gold_rows BETWEEN 0 AND 1
        AND gold_width - prediction_rows BETWEEN 0 AND 1 AND prediction_rows > 0
), gold_column AS MATERIALIZED (
    -- The few columns first: the estimates would join the codes of all columns with all rules.
    SELECT square.pair_id, config_rule.gold_index, config_rule.rule_id, wanted.column_no
    FROM square
    JOIN config_rule USING (config_id)
    JOIN wanted_column AS wanted
        ON wanted.file_no = square.gold_no AND wanted.column_index = config_rule.gold_index
        AND wanted.rule_id = config_rule.rule_id
), prediction_column AS MATERIALIZED (
    SELECT square.pair_id, wanted.rule_id, wanted.column_index, wanted.column_no
    FROM square
    JOIN wanted_column AS wanted ON wanted.file_no = square.prediction_no
    WHERE wanted.column_index < square.prediction_width
), gold AS (
    SELECT held.pair_id, held.gold_index, held.rule_id, list(code.code ORDER BY code.row) AS codes
    FROM gold_column AS held
    JOIN column_code AS code USING (column_no)
    GROUP BY ALL
), prediction AS (
    SELECT held.pair_id, held.rule_id, code.row, list(code.code ORDER BY held.column_index) AS codes
    FROM prediction_column AS held
    JOIN column_code AS code USING (column_no)
    GROUP BY ALL
), found AS (
    SELECT
        gold.pair_id, count(DISTINCT gold.gold_index) AS columns,
        list('gold column ' || gold.gold_index || ' is prediction row ' || prediction.row + 1 ORDER BY gold.gold_index)[:3] AS examples
    FROM gold
    JOIN prediction
        ON prediction.pair_id = gold.pair_id AND prediction.rule_id = gold.rule_id
        AND (prediction.codes = gold.codes OR prediction.codes[2:] = gold.codes)
    GROUP BY gold.pair_id
)
SELECT
    found.pair_id, square.prediction_rows AS row_count, found.examples,
    format('the table is transposed: {} of gold''s {} columns stand in it as rows', found.columns, square.gold_width) AS sentence
FROM found
JOIN square USING (pair_id)
WHERE found.columns >= square.prediction_rows;

INSERT INTO symptom
SELECT pair_id, 'transposed', NULL, NULL, row_count, examples, sentence FROM transposed;

DELETE FROM shape WHERE pair_id IN (SELECT pair_id FROM transposed);
