-- Which relations must be compared, and which of their columns have not been read just now?
-- Inputs: temp paired, pair, config_rule, read_column; evaluation.comparison. Results:
-- temp side, grain (pair_id): what gold and prediction are read as: rows as a sequence or a multiset, and column:rule
-- in gold's order; temp comparison, grain (comparison_no): the different pairs of readings whose outcome is not known;
-- temp side_column, grain (comparison_no, sign, place): their columns, gold's with sign 1 and the prediction's with -1;
-- temp wanted_column, grain (column_no): the columns whose values are not in temp read_code.
CREATE OR REPLACE TEMP TABLE side AS
SELECT
    pair.pair_id, pair.gold_no, pair.prediction_no, any_value(pair.ordered) AS ordered, any_value(pair.row_count) AS row_count,
    CASE WHEN any_value(pair.ordered) THEN 'sequence ' ELSE 'multiset ' END
    || string_agg(config_rule.gold_index || ':' || config_rule.rule_id, ' ' ORDER BY config_rule.gold_index) AS gold_reading,
    string_agg(
        paired.mapping[config_rule.gold_index + 1] || ':' || config_rule.rule_id, ' ' ORDER BY config_rule.gold_index
    ) AS prediction_reading,
    list(config_rule.rule_id ORDER BY config_rule.gold_index) AS rules, any_value(paired.mapping) AS mapping
FROM paired
JOIN pair USING (pair_id)
JOIN config_rule USING (config_id)
GROUP BY pair.pair_id, pair.gold_no, pair.prediction_no;

CREATE OR REPLACE TEMP TABLE comparison AS
SELECT row_number() OVER ()::INTEGER AS comparison_no, *
FROM (
    SELECT
        gold_no, gold_reading, prediction_no, prediction_reading, any_value(ordered) AS ordered,
        any_value(row_count) AS row_count, any_value(rules) AS rules, any_value(mapping) AS mapping
    FROM side
    ANTI JOIN evaluation.comparison AS known USING (gold_no, gold_reading, prediction_no, prediction_reading)
    GROUP BY gold_no, gold_reading, prediction_no, prediction_reading
);

CREATE OR REPLACE TEMP TABLE side_column AS
SELECT
    comparison_no, 1 AS sign, gold_no AS file_no, unnest(range(len(rules)))::INTEGER AS place,
    unnest(range(len(rules)))::INTEGER AS column_index, unnest(rules) AS rule_id
FROM comparison
UNION ALL
SELECT comparison_no, -1, prediction_no, unnest(range(len(rules)))::INTEGER, unnest(mapping), unnest(rules)
FROM comparison;

CREATE OR REPLACE TEMP TABLE wanted_column AS
SELECT row_number() OVER ()::INTEGER AS column_no, 100000 AS row_limit, file_no, column_index, rule_id
FROM (SELECT DISTINCT file_no, column_index, rule_id FROM side_column)
ANTI JOIN read_column USING (file_no, column_index, rule_id);
