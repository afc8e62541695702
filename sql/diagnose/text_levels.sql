-- How do the values of changed text columns read without case, without white space, or as numbers?
-- Inputs: temp changed_value; evaluation.text. Results: more rows of temp level_value (see number_levels).
-- Case is folded as lower() of DuckDB has it. A folded text is told by the smallest id of the texts that fold to it.
CREATE OR REPLACE TEMP TABLE folded_text AS
WITH canonical AS (
    SELECT DISTINCT value.code AS text_id FROM changed_value AS value WHERE value.type = 'text' AND value.code > 0
), written AS MATERIALIZED (
    SELECT text.text_id, lower(text.text) AS lowered, diagnose_closed(text.text) AS closed, diagnose_closed(lower(text.text)) AS both
    FROM canonical
    JOIN evaluation.text AS text ON text.text_id = canonical.text_id
)
SELECT
    text_id, min(text_id) OVER (PARTITION BY lowered) AS lowered, min(text_id) OVER (PARTITION BY closed) AS closed,
    min(text_id) OVER (PARTITION BY both) AS both
FROM written;

INSERT INTO level_value
SELECT
    value.pair_id, value.gold_index, level.level, 0, value.sign, value.text_id,
    CASE
        WHEN level.level = 'null_word' THEN CASE WHEN value.is_null THEN canon_null() ELSE value.code END
        WHEN level.level = 'number_as_text'
        THEN
            CASE
                WHEN value.code = canon_null() THEN value.code
                WHEN value.number_form = 1
                THEN nullif(canon_number(value.number_form, value.size, value.scale, value.length, 15 * 9 + 2), canon_slow())
            END
        WHEN value.code <= 0 THEN value.code
        WHEN level.level = 'letter_case' THEN folded.lowered
        WHEN level.level = 'white_space' THEN folded.closed
        ELSE folded.both
    END,
    value.n, value.first_row
FROM changed_value AS value
CROSS JOIN (
    VALUES ('letter_case'), ('white_space'), ('case_and_space'), ('null_word'), ('number_as_text')
) AS level (level)
LEFT JOIN folded_text AS folded ON folded.text_id = value.code
WHERE value.type = 'text';
