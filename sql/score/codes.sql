-- What values do the wanted columns hold?
-- Inputs: temp wanted_column, grain (column_no): file_no, column_index, rule_id; temp cell; evaluation.rule,
-- text_reading, exact_value; the macros of sql/canon.
-- Result: temp column_code, grain (column_no, row): the code of the cell under the rule, NULL when it is unreadable.
-- Few columns travel with each cell, for their number decides how long this takes; and each step of a number has a
-- subquery of its own, for a macro inside a macro is planned anew for each of its uses.
CREATE OR REPLACE TEMP TABLE column_kind AS
SELECT
    wanted.*, rule.type,
    canon_number_kind(rule.mode, rule.digits, rule.unit, rule.allow_percent_sign)::SMALLINT AS kind
FROM wanted_column AS wanted
JOIN evaluation.rule USING (rule_id);

CREATE OR REPLACE TEMP TABLE column_code AS
SELECT wanted.column_no, cell.row, cell.text_id, reading.canonical_id AS code
FROM column_kind AS wanted
JOIN cell USING (file_no, column_index)
JOIN evaluation.text_reading AS reading USING (text_id)
WHERE wanted.type = 'text'
UNION ALL
SELECT
    column_no, row, text_id,
    CASE
        WHEN form = 0 THEN canon_null()
        WHEN form = 3 THEN canon_slow()
        WHEN form = 2 AND kind // 3 % 3 = 0 THEN NULL
        WHEN size < 0 AND code <> canon_slow() THEN -code
        ELSE code
    END
FROM (
    SELECT column_no, row, text_id, form, size, kind, canon_number(abs(size), scale, length, kind) AS code
    FROM (
        SELECT
            wanted.column_no, cell.row, cell.text_id, reading.number_form AS form, reading.size,
            reading.scale + CASE WHEN reading.number_form = 2 AND wanted.kind // 3 % 3 = 2 THEN 2 ELSE 0 END AS scale,
            reading.length, wanted.kind
        FROM column_kind AS wanted
        JOIN cell USING (file_no, column_index)
        JOIN evaluation.text_reading AS reading USING (text_id)
        WHERE wanted.type = 'number'
    )
)
UNION ALL
SELECT wanted.column_no, cell.row, cell.text_id, CASE WHEN reading.is_null THEN canon_null() ELSE reading.day END
FROM column_kind AS wanted
JOIN cell USING (file_no, column_index)
JOIN evaluation.text_reading AS reading USING (text_id)
WHERE wanted.type = 'date'
UNION ALL
SELECT wanted.column_no, cell.row, cell.text_id, CASE WHEN reading.is_null THEN canon_null() ELSE reading.moment END
FROM column_kind AS wanted
JOIN cell USING (file_no, column_index)
JOIN evaluation.text_reading AS reading USING (text_id)
WHERE wanted.type = 'datetime'
UNION ALL
SELECT wanted.column_no, cell.row, cell.text_id, CASE WHEN reading.is_null THEN canon_null() ELSE reading.truth END
FROM column_kind AS wanted
JOIN cell USING (file_no, column_index)
JOIN evaluation.text_reading AS reading USING (text_id)
WHERE wanted.type = 'boolean';
