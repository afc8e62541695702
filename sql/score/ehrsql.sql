-- Is each predicted table the published answer, and did the run refuse exactly what has no answer?
-- Inputs: label_row (question, ordinal, label), response_row (run, question, response, code, message), the label_set
-- ($label_set). Label and response are tables written as Python lists of rows, such as [['a'], ['1.50']], or the text
-- null, which says that there is no answer. response is NULL where there is none; code and message then say why.
-- Grain: (run, question). The rule as published: numbers to three decimals, rows sorted, the first 100 of them compared.
WITH text AS (
    SELECT label AS text FROM label_row
    UNION SELECT response FROM response_row WHERE response IS NOT NULL
), readable AS (
    -- With every cell put for one character, a list of rows and nothing else is left.
    SELECT text
    FROM text
    WHERE NOT regexp_matches(text, '[[:cntrl:]]') AND regexp_full_match(
        regexp_replace(text, score.answer_cell_pattern(), chr(1), 'g'),
        '\[(\[(\x01(, \x01)*)?\](, \[(\x01(, \x01)*)?\])*)?\]'
    )
), meant AS (
    SELECT text, list_sort(list_transform(
        regexp_extract_all(text[2:-2], '\[(?:' || score.answer_cell_pattern() || '|, )*\]'),
        lambda line: list_transform(
            regexp_extract_all(line, score.answer_cell_pattern()), lambda cell: score.answer_cell(cell)
        )
    ))[1:100] AS rows
    FROM readable
), judged AS (
    SELECT
        response_row.run, label_row.question, label_row.ordinal, label_row.label, response_row.response,
        response_row.code AS failure, response_row.message,
        label_row.label = 'null' AS unanswerable, coalesce(response_row.response = 'null', false) AS refused,
        given.rows IS NOT NULL AS is_table, coalesce(asked.rows = given.rows, false) AS same
    FROM response_row
    JOIN label_row ON label_row.question = response_row.question
    LEFT JOIN meant AS asked ON asked.text = label_row.label
    LEFT JOIN meant AS given ON given.text = response_row.response
)
SELECT
    run, 'ehrsql' AS protocol, $label_set AS label_set, question, 'table' AS answer, 0 AS place, label,
    CASE WHEN unanswerable THEN refused ELSE same END AS passed,
    CASE
        WHEN passed THEN NULL
        WHEN refused THEN 'abstained'
        WHEN response IS NULL THEN failure
        WHEN unanswerable THEN 'should_abstain'
        WHEN NOT is_table THEN 'not_a_table'
        ELSE 'wrong_table'
    END AS code,
    CASE WHEN code = failure THEN message END AS message,
    passed AS published
FROM judged
ORDER BY run, ordinal;
