-- Keep what the exact path has decided; canonical texts are numbered by the dictionary.
-- Input: temp new_exact, grain (rule_id, text_id): code, and the canonical text whose id is to be added ('': none).
-- Results: new rows of evaluation.exact_value and evaluation.text.
INSERT INTO evaluation.text
SELECT
    (SELECT max(text_id) FROM evaluation.text) + row_number() OVER (ORDER BY new.place, new.canonical), new.canonical
FROM (SELECT canonical, min(text_id) AS place FROM new_exact WHERE canonical <> '' GROUP BY canonical) AS new
ANTI JOIN evaluation.text AS known ON known.text = new.canonical
ORDER BY new.place, new.canonical;

INSERT INTO evaluation.exact_value
SELECT rule_id, text_id, code
FROM new_exact
WHERE canonical = ''
UNION ALL
SELECT new_exact.rule_id, new_exact.text_id, new_exact.code + text.text_id
FROM new_exact
JOIN evaluation.text ON text.text = new_exact.canonical
WHERE new_exact.canonical <> '';
