-- What does each text say that has not been read yet, whatever the rule?
-- Inputs: evaluation.text; the macros of sql/canon. Results: new rows of evaluation.text_reading; canonical texts that
-- the dictionary lacks are added to it.
CREATE OR REPLACE TEMP TABLE new_text AS
WITH text AS MATERIALIZED (
    SELECT text_id, text AS written, canon_strip(text) AS stripped
    FROM evaluation.text
    ANTI JOIN evaluation.text_reading AS known USING (text_id)
)
SELECT *, canon_is_plain_number(stripped) AS is_plain_number, canon_moment_form(stripped) AS moment_form
FROM text;

-- Texts whose canonical form is another one; canonical is NULL where the exact path must decide.
CREATE OR REPLACE TEMP TABLE changed_text AS
SELECT text_id, canonical
FROM (SELECT text_id, written, canon_text(stripped) AS canonical FROM new_text)
WHERE canonical IS DISTINCT FROM written OR written = '';

INSERT INTO evaluation.text
SELECT
    (SELECT max(text_id) FROM evaluation.text) + row_number() OVER (ORDER BY new.place), new.canonical
FROM (SELECT canonical, min(text_id) AS place FROM changed_text WHERE canonical <> '' GROUP BY canonical) AS new
ANTI JOIN evaluation.text AS known ON known.text = new.canonical
ORDER BY new.place;

CREATE OR REPLACE TEMP TABLE canonical_text AS
SELECT
    changed_text.text_id,
    CASE
        WHEN changed_text.canonical IS NULL THEN canon_slow()
        WHEN changed_text.canonical = '' THEN canon_null()
        ELSE text.text_id
    END AS canonical_id
FROM changed_text
LEFT JOIN evaluation.text ON text.text = changed_text.canonical;

-- Numbers in any other than the plain spelling. Zeros at the end of a fraction say nothing and are dropped.
CREATE OR REPLACE TEMP TABLE odd_number AS
WITH part AS MATERIALIZED (
    SELECT text_id, canon_number_parts(stripped) AS parts
    FROM new_text
    WHERE NOT is_plain_number AND coalesce(moment_form NOT IN ('extended', 'time'), true)
        AND regexp_matches(stripped, '^[+\-.0-9]')
), digit AS MATERIALIZED (
    SELECT
        text_id, parts, CASE WHEN parts.whole <> '0' THEN replace(parts.whole, ',', '') ELSE '' END AS whole,
        CASE WHEN suffix(parts.fraction, '0') THEN rtrim(parts.fraction, '0') ELSE parts.fraction END AS fraction
    FROM part
    WHERE (parts.whole <> '' OR parts.fraction <> '')
        AND NOT (contains(parts.whole, ',') AND parts.point = '.' AND parts.fraction = '')
)
SELECT
    text_id, strlen(parts.exponent) > 4 OR strlen(whole) + strlen(fraction) > 18 AS slow,
    CASE WHEN slow THEN 3 WHEN parts.percent = '%' THEN 2 ELSE 1 END AS kind,
    CASE WHEN NOT slow THEN try_cast(CASE WHEN parts.sign = '-' THEN '-0' ELSE '0' END || whole || fraction AS BIGINT) END AS size,
    CASE WHEN NOT slow THEN strlen(fraction) - coalesce(try_cast(nullif(parts.exponent, '') AS INTEGER), 0) END AS scale
FROM digit;

-- Texts that are numbers in another way, or NULL.
INSERT INTO odd_number
SELECT text_id, NULL, 3, NULL, NULL FROM new_text WHERE canon_maybe_number(stripped)
UNION ALL
SELECT text_id, NULL, 0, NULL, NULL FROM new_text WHERE canon_is_null(stripped);

INSERT INTO evaluation.text_reading
SELECT
    text_id, canonical_id, coalesce(kind = 0, false), CASE WHEN scale BETWEEN -99 AND 99 THEN size END,
    CASE
        WHEN kind IN (1, 2) AND scale BETWEEN -99 AND 99 THEN canon_form(scale, strlen(abs(size)::VARCHAR), kind)
        WHEN kind = 0 THEN canon_form(0, 0, 0)
        WHEN kind IS NOT NULL THEN canon_form(0, 0, 3)
    END,
    day, moment, truth
FROM (
    SELECT
        new_text.text_id, coalesce(canonical_text.canonical_id, new_text.text_id) AS canonical_id,
        CASE WHEN new_text.is_plain_number THEN 1 ELSE odd.kind END AS kind,
        CASE
            WHEN new_text.is_plain_number THEN try_cast(replace(new_text.stripped, '.', '') AS BIGINT)
            ELSE odd.size
        END AS size,
        CASE
            WHEN NOT new_text.is_plain_number THEN odd.scale
            WHEN contains(new_text.stripped, '.') THEN strlen(new_text.stripped) - instr(new_text.stripped, '.')
            ELSE 0
        END AS scale,
        canon_date(new_text.stripped, new_text.moment_form) AS day,
        canon_datetime(new_text.stripped, new_text.moment_form) AS moment, canon_boolean(new_text.stripped) AS truth
    FROM new_text
    LEFT JOIN canonical_text USING (text_id)
    LEFT JOIN odd_number AS odd USING (text_id)
);
