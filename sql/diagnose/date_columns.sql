-- Which prediction columns that are no dates may be datetimes?
-- Inputs: temp change, pair_column, wanted_column; evaluation.rule. Results: temp date_column, grain (pair_id,
-- gold_index); temp wanted_column, grain (column_no): those columns, as datetimes; the rule for it.
CREATE OR REPLACE TEMP TABLE date_column AS
SELECT change.pair_id, change.gold_index, wanted.file_no, wanted.column_index
FROM change
JOIN pair_column ON pair_column.pair_id = change.pair_id AND pair_column.gold_index = change.gold_index
JOIN wanted_column AS wanted USING (column_no)
WHERE change.type = 'date' AND change.unreadable > 0 AND pair_column.sign = -1;

INSERT INTO evaluation.rule
SELECT (SELECT max(rule_id) FROM evaluation.rule) + 1, 'datetime', NULL, NULL, 'plain', false
WHERE EXISTS (FROM date_column) AND NOT EXISTS (FROM evaluation.rule WHERE type = 'datetime');

CREATE OR REPLACE TEMP TABLE wanted_column AS
SELECT row_number() OVER ()::INTEGER AS column_no, 100000 AS row_limit, file_no, column_index, rule_id
FROM (SELECT DISTINCT file_no, column_index FROM date_column)
CROSS JOIN (SELECT min(rule_id) AS rule_id FROM evaluation.rule WHERE type = 'datetime');
