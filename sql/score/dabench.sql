-- Which of the answers that the labels ask for does each response give?
-- Inputs: label_row (question, ordinal, answer, label), response_row (run, question, response); label_set ($label_set).
-- response is NULL where none was given. Grain: (run, question, answer, place), for the questions of response_row.
-- An answer is written @name[value]: a name is letters, digits and underscores of any script, a value ends with the
-- first ] and stays on its line. Two values are equal when their texts are, or when they are numbers less than 1e-6
-- apart. Of a name's repeated values the last one counts. A name that the labels repeat stands for a set of values: each
-- label is sought among all values given under the name, and giving more values than there are labels is wrong.
-- As published, such labels overwrite each other and the last value is held against the last label.
WITH label_value AS (
    SELECT
        question, answer, label, min(ordinal) AS ordinal,
        row_number() OVER (PARTITION BY question, answer ORDER BY min(ordinal)) - 1 AS place,
        count(*) OVER (PARTITION BY question, answer) AS labels,
        max(ordinal) = max(max(ordinal)) OVER (PARTITION BY question, answer) AS is_last,
        score.answer_number(label) AS number
    FROM label_row
    GROUP BY question, answer, label
), found AS (
    SELECT
        run, question,
        regexp_extract_all(response, '@([\p{L}\p{N}_]+)\[([^\]\n]*)\]', ['name', 'value']) AS pairs
    FROM response_row
), pair AS (
    SELECT run, question, generate_subscripts(pairs, 1) AS ordinal, unnest(pairs, recursive := true) FROM found
), given AS (
    SELECT
        run, question, name AS answer, value, max(ordinal) AS ordinal, score.answer_number(value) AS number
    FROM pair
    SEMI JOIN label_row ON label_row.question = pair.question AND label_row.answer = pair.name
    GROUP BY run, question, name, value
), summary AS (
    SELECT
        run, question, answer, count(DISTINCT coalesce(number::VARCHAR, 'text ' || value)) AS value_count,
        arg_max(value, ordinal) AS last_value, max(ordinal) AS last_ordinal
    FROM given
    GROUP BY run, question, answer
), equal AS (
    SELECT
        given.run, given.question, given.answer, label_value.label,
        arg_max(given.value, given.ordinal) AS value, max(given.ordinal) AS ordinal
    FROM given
    JOIN label_value ON label_value.question = given.question AND label_value.answer = given.answer
        AND (given.value = label_value.label OR abs(given.number - label_value.number) < 1e-6)
    GROUP BY given.run, given.question, given.answer, label_value.label
), judged AS (
    SELECT
        response_row.run, label_value.*, response_row.response IS NOT NULL AS answered,
        coalesce(summary.value_count, 0) AS value_count, summary.last_value, equal.value AS equal_value,
        coalesce(equal.ordinal = summary.last_ordinal, false) AS last_is_equal
    FROM response_row
    JOIN label_value ON label_value.question = response_row.question
    LEFT JOIN summary ON summary.run = response_row.run AND summary.question = label_value.question
        AND summary.answer = label_value.answer
    LEFT JOIN equal ON equal.run = response_row.run AND equal.question = label_value.question
        AND equal.answer = label_value.answer AND equal.label = label_value.label
)
SELECT
    run, 'dabench' AS protocol, $label_set AS label_set, question, answer, place, label,
    CASE WHEN labels = 1 THEN last_value ELSE equal_value END AS given,
    CASE WHEN labels = 1 THEN last_is_equal ELSE equal_value IS NOT NULL AND value_count <= labels END AS passed,
    CASE
        WHEN passed THEN NULL
        WHEN NOT answered THEN 'missing_response'
        WHEN value_count = 0 THEN 'missing_answer'
        WHEN labels > 1 AND value_count > labels THEN 'too_many_values'
        ELSE 'wrong_value'
    END AS code,
    CASE WHEN answered AND is_last THEN last_is_equal END AS published
FROM judged
ORDER BY run, ordinal;
