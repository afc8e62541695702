-- Which predictions have a data row as their header, or their header once more as a data row?
-- Inputs: temp shape, matched, pair_column, pair_value, matched_code; evaluation.table_file, table_row, text, rule.
-- Result: temp symptom. A header is read by the fast rules of sql/canon alone.
INSERT INTO symptom
WITH few AS (
    SELECT *
    FROM shape
    WHERE prediction_rows < gold_rows
), header AS (
    SELECT
        few.pair_id, matched.gold_index, rule.type, canon_strip(file.header[matched.prediction_index + 1]) AS stripped,
        canon_is_plain_number(stripped) AS plain, CASE WHEN contains(stripped, '.') THEN strlen(stripped) - instr(stripped, '.') ELSE 0 END AS scale,
        CASE WHEN plain THEN try_cast(replace(stripped, '.', '') AS BIGINT) END AS size,
        canon_number_kind(rule.mode, rule.digits, rule.unit, rule.allow_percent_sign) AS kind
    FROM few
    JOIN matched USING (pair_id)
    JOIN evaluation.rule AS rule USING (rule_id)
    JOIN evaluation.table_file AS file ON file.file_no = few.prediction_no
), named AS (
    SELECT
        header.pair_id, header.gold_index,
        CASE
            WHEN header.type = 'text' THEN CASE header.stripped WHEN '' THEN canon_null() ELSE text.text_id END
            WHEN canon_is_null(header.stripped) THEN canon_null()
            WHEN header.type = 'number'
            THEN CASE WHEN header.plain THEN diagnose_number(1, header.size, header.scale, strlen(abs(header.size)::VARCHAR), header.kind) END
            WHEN header.type = 'date' THEN canon_date(header.stripped, canon_moment_form(header.stripped))
            WHEN header.type = 'datetime' THEN canon_datetime(header.stripped, canon_moment_form(header.stripped))
            ELSE canon_boolean(header.stripped)
        END AS code
    FROM header
    LEFT JOIN evaluation.text AS text ON header.type = 'text' AND text.text = canon_text(header.stripped)
), possible AS (
    -- Before any row is looked at: each name must be a value of its column.
    SELECT named.pair_id, count(*) AS columns
    FROM named
    JOIN (SELECT DISTINCT pair_id, gold_index, code FROM pair_value WHERE sign = 1) AS value USING (pair_id, gold_index, code)
    GROUP BY named.pair_id
    HAVING count(*) = (SELECT count(*) FROM matched WHERE matched.pair_id = named.pair_id)
), found AS (
    SELECT named.pair_id, code.row
    FROM possible
    JOIN named USING (pair_id)
    JOIN pair_column ON pair_column.pair_id = named.pair_id AND pair_column.gold_index = named.gold_index AND pair_column.sign = 1
    JOIN matched_code AS code ON code.column_no = pair_column.column_no AND code.code = named.code
    GROUP BY named.pair_id, code.row, possible.columns
    HAVING count(*) = possible.columns
)
SELECT
    found.pair_id, 'header_as_row', NULL, NULL, 1,
    [array_to_string(list_transform(any_value(file.header)[:8], lambda name: diagnose_cell(name)), ', ')],
    format('the first row of data stands in the place of the header: it is gold row {}', min(found.row) + 1)
FROM found
JOIN shape USING (pair_id)
JOIN evaluation.table_file AS file ON file.file_no = shape.prediction_no
GROUP BY found.pair_id;

INSERT INTO symptom
WITH first_row AS (
    SELECT line.file_no, list(lower(canon_strip(text.text)) ORDER BY line.column_index) AS texts
    FROM (
        SELECT file_no, unnest(cells) AS text_id, unnest(range(len(cells))) AS column_index
        FROM evaluation.table_row
        WHERE row = 0 AND file_no IN (SELECT unnest([gold_no, prediction_no]) FROM shape)
    ) AS line
    JOIN evaluation.text AS text ON text.text_id = line.text_id
    GROUP BY line.file_no
), compared AS (
    SELECT
        shape.pair_id, shape.gold_no, first_row.texts,
        list_transform(prediction.header, lambda name: lower(canon_strip(name))) AS own,
        list_transform(gold.header, lambda name: lower(canon_strip(name))) AS of_gold
    FROM shape
    JOIN first_row ON first_row.file_no = shape.prediction_no
    JOIN evaluation.table_file AS prediction ON prediction.file_no = shape.prediction_no
    JOIN evaluation.table_file AS gold ON gold.file_no = shape.gold_no
)
SELECT
    compared.pair_id, 'header_as_row', NULL, NULL, 1,
    [array_to_string(list_transform(compared.texts[:8], lambda text: diagnose_cell(text)), ', ')],
    'the header stands once more as the first row of data'
FROM compared
LEFT JOIN first_row AS gold ON gold.file_no = compared.gold_no
WHERE (compared.texts = compared.own OR compared.texts = compared.of_gold) AND gold.texts IS DISTINCT FROM compared.texts;
