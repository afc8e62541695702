-- What values do the wanted columns hold?
-- Inputs: temp wanted_column, grain (column_no): file_no, column_index, rule_id, and row_limit, the rows to look at;
-- evaluation.table_row, rule, text_reading; the macros of sql/canon.
-- Result: temp column_code, grain (column_no, row): the code of the cell under the rule, NULL when it is unreadable,
-- canon_slow() where evaluation.exact_value has it.
-- All columns are read in one pass, for the tables are large and their cells many; and each step of a number has a
-- subquery of its own, for a macro inside a macro is planned anew for each of its uses.
CREATE OR REPLACE TEMP TABLE column_kind AS
SELECT
    wanted.*, rule.type,
    CASE rule.type WHEN 'text' THEN 0 WHEN 'number' THEN 1 WHEN 'date' THEN 2 WHEN 'datetime' THEN 3 ELSE 4 END::TINYINT
        AS type_no,
    canon_number_kind(rule.mode, rule.digits, rule.unit, rule.allow_percent_sign)::SMALLINT AS kind
FROM wanted_column AS wanted
JOIN evaluation.rule USING (rule_id);

CREATE OR REPLACE TEMP TABLE column_code AS
SELECT
    column_no, row, text_id,
    CASE
        WHEN type_no = 0 THEN canonical_id
        WHEN form = 0 THEN canon_null()
        WHEN type_no = 2 THEN day
        WHEN type_no = 3 THEN moment
        WHEN type_no = 4 THEN truth
        WHEN form = 3 THEN canon_slow()
        WHEN form = 2 AND kind // 3 % 3 = 0 THEN NULL
        WHEN size < 0 AND number <> canon_slow() THEN -number
        ELSE number
    END AS code
FROM (
    SELECT
        *,
        CASE
            WHEN type_no = 1 AND form IN (1, 2)
            THEN canon_number(
                abs(size), scale + CASE WHEN form = 2 AND kind // 3 % 3 = 2 THEN 2 ELSE 0 END, length, kind
            )
        END AS number
    FROM (
        SELECT
            cell.*, reading.canonical_id, reading.size, canon_form_kind(reading.number_form) AS form,
            canon_form_scale(reading.number_form) AS scale, canon_form_length(reading.number_form) AS length,
            reading.day, reading.moment, reading.truth
        FROM (
            SELECT
                wanted.column_no, wanted.type_no, wanted.kind, line.row,
                line.cells[wanted.column_index + 1] AS text_id
            FROM column_kind AS wanted
            JOIN evaluation.table_row AS line ON line.file_no = wanted.file_no AND line.row < wanted.row_limit
        ) AS cell
        JOIN evaluation.text_reading AS reading USING (text_id)
    )
);
