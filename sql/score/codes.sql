-- What values do the wanted columns hold?
-- Inputs: temp wanted_column, grain (column_no): file_no, column_index, rule_id, and row_limit, the rows to look at;
-- evaluation.table_row, rule, text_reading; the macros of sql/canon.
-- Result: temp column_code, grain (column_no, row): the code of the cell under the rule, NULL when it is unreadable,
-- canon_slow() where evaluation.exact_value has it.
-- Few columns travel with each cell, for their number decides how long this takes; and each step of a number has a
-- subquery of its own, for a macro inside a macro is planned anew for each of its uses.
CREATE OR REPLACE TEMP TABLE column_kind AS
SELECT
    wanted.*, rule.type,
    canon_number_kind(rule.mode, rule.digits, rule.unit, rule.allow_percent_sign)::SMALLINT AS kind
FROM wanted_column AS wanted
JOIN evaluation.rule USING (rule_id);

CREATE OR REPLACE TEMP TABLE column_code AS
SELECT cell.column_no, cell.row, cell.text_id, reading.canonical_id AS code
FROM (
    SELECT wanted.column_no, line.row, line.cells[wanted.column_index + 1] AS text_id
    FROM column_kind AS wanted
    JOIN evaluation.table_row AS line ON line.file_no = wanted.file_no AND line.row < wanted.row_limit
    WHERE wanted.type = 'text'
) AS cell
JOIN evaluation.text_reading AS reading USING (text_id)
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
    SELECT
        column_no, row, text_id, form, size, kind,
        canon_number(
            abs(size), scale + CASE WHEN form = 2 AND kind // 3 % 3 = 2 THEN 2 ELSE 0 END, length, kind
        ) AS code
    FROM (
        SELECT
            cell.column_no, cell.row, cell.text_id, reading.size, canon_form_kind(reading.number_form) AS form,
            canon_form_scale(reading.number_form) AS scale, canon_form_length(reading.number_form) AS length, cell.kind
        FROM (
            SELECT wanted.column_no, line.row, line.cells[wanted.column_index + 1] AS text_id, wanted.kind
            FROM column_kind AS wanted
            JOIN evaluation.table_row AS line ON line.file_no = wanted.file_no AND line.row < wanted.row_limit
            WHERE wanted.type = 'number'
        ) AS cell
        JOIN evaluation.text_reading AS reading USING (text_id)
    )
)
UNION ALL
SELECT cell.column_no, cell.row, cell.text_id, CASE WHEN reading.is_null THEN canon_null() ELSE reading.day END
FROM (
    SELECT wanted.column_no, line.row, line.cells[wanted.column_index + 1] AS text_id
    FROM column_kind AS wanted
    JOIN evaluation.table_row AS line ON line.file_no = wanted.file_no AND line.row < wanted.row_limit
    WHERE wanted.type = 'date'
) AS cell
JOIN evaluation.text_reading AS reading USING (text_id)
UNION ALL
SELECT cell.column_no, cell.row, cell.text_id, CASE WHEN reading.is_null THEN canon_null() ELSE reading.moment END
FROM (
    SELECT wanted.column_no, line.row, line.cells[wanted.column_index + 1] AS text_id
    FROM column_kind AS wanted
    JOIN evaluation.table_row AS line ON line.file_no = wanted.file_no AND line.row < wanted.row_limit
    WHERE wanted.type = 'datetime'
) AS cell
JOIN evaluation.text_reading AS reading USING (text_id)
UNION ALL
SELECT cell.column_no, cell.row, cell.text_id, CASE WHEN reading.is_null THEN canon_null() ELSE reading.truth END
FROM (
    SELECT wanted.column_no, line.row, line.cells[wanted.column_index + 1] AS text_id
    FROM column_kind AS wanted
    JOIN evaluation.table_row AS line ON line.file_no = wanted.file_no AND line.row < wanted.row_limit
    WHERE wanted.type = 'boolean'
) AS cell
JOIN evaluation.text_reading AS reading USING (text_id);
