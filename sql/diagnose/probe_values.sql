-- How often does each value stand in the first rows of a column, as its rule reads it and as it looks on the whole?
-- Inputs: temp column_code, wanted_column; evaluation.text, text_reading.
-- Results: temp probe_value, grain (column_no, code); temp loose_value, grain (file_no, column_index, look). A look is
-- what stays the same when a number is scaled by ten or loses digits, a date gets a time, a text changes its case.
-- What only the exact path can read stands for itself here.
CREATE OR REPLACE TEMP TABLE probe_value AS
SELECT
    column_no, CASE WHEN code = canon_slow() THEN -canon_interned() - text_id ELSE code END AS code, count(*) AS n
FROM column_code
WHERE code IS NOT NULL
GROUP BY ALL;

CREATE OR REPLACE TEMP TABLE loose_value AS
WITH cell AS MATERIALIZED (
    -- A prediction's column has been read under several rules.
    SELECT wanted.file_no, wanted.column_index, code.text_id, count(*) AS n
    FROM (SELECT file_no, column_index, min(column_no) AS column_no FROM wanted_column GROUP BY ALL) AS wanted
    JOIN column_code AS code USING (column_no)
    GROUP BY ALL
), seen AS (
    SELECT DISTINCT text_id FROM cell
), look AS MATERIALIZED (
    SELECT
        seen.text_id,
        CASE
            WHEN reading.is_null THEN 0
            WHEN canon_form_kind(reading.number_form) IN (1, 2)
            THEN
                hash(
                    'number',
                    CASE
                        WHEN canon_form_length(reading.number_form) > 3
                        THEN reading.size // canon_power(canon_form_length(reading.number_form) - 3)
                        ELSE reading.size * canon_power(3 - canon_form_length(reading.number_form))
                    END
                )
            WHEN reading.moment IS NOT NULL THEN hash('moment', replace(canon_strip(text.text)[:10], '-', '')[:8])
            ELSE hash('text', diagnose_closed(lower(text.text[:1000])))
        END AS look
    FROM seen
    JOIN evaluation.text AS text ON text.text_id = seen.text_id
    JOIN evaluation.text_reading AS reading ON reading.text_id = seen.text_id
)
SELECT cell.file_no, cell.column_index, look.look, sum(cell.n) AS n
FROM cell
JOIN look USING (text_id)
GROUP BY ALL;
