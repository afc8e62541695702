-- The ids of the incoming texts, in order of their place.
-- Inputs: temp new_text_place, evaluation.text. Grain: (place).
SELECT text.text_id
FROM new_text_place AS incoming
JOIN evaluation.text ON text.text = incoming.text
ORDER BY incoming.place;
