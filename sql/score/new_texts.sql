-- Number the texts of the incoming tables that the dictionary lacks.
-- Input: temp new_text_place, grain (place): the distinct texts in order of appearance. Result: new rows of evaluation.text.
INSERT INTO evaluation.text
SELECT
    (SELECT coalesce(max(text_id), 0) FROM evaluation.text) + row_number() OVER (ORDER BY incoming.place),
    incoming.text
FROM new_text_place AS incoming
ANTI JOIN evaluation.text AS known ON known.text = incoming.text
ORDER BY incoming.place;
