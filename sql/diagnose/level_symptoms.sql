-- Which columns are equal but for their scale, rounding, case, white space, day or spelling?
-- Inputs: temp level, level_value, pair_value; evaluation.text. Result: temp symptom.
-- Examples are a text of gold and one of the prediction that are equal at the level and not otherwise.
INSERT INTO symptom
WITH of_gold AS (
    SELECT value.*
    FROM level_value AS value
    JOIN level USING (pair_id, gold_index, level, parameter, partly)
    WHERE value.sign = 1 AND value.key IS NOT NULL
), of_prediction AS (
    SELECT value.pair_id, value.gold_index, value.level, value.key, min(value.text_id) AS text_id
    FROM level_value AS value
    JOIN level USING (pair_id, gold_index, level, parameter, partly)
    JOIN pair_value AS strict
        ON strict.pair_id = value.pair_id AND strict.gold_index = value.gold_index AND strict.sign = -1
        AND strict.text_id = value.text_id
    LEFT JOIN (SELECT DISTINCT pair_id, gold_index, code FROM pair_value WHERE sign = 1) AS gold
        ON gold.pair_id = value.pair_id AND gold.gold_index = value.gold_index AND gold.code = strict.code
    WHERE value.sign = -1 AND value.key IS NOT NULL AND gold.code IS NULL
    GROUP BY ALL
), couple AS (
    SELECT
        of_gold.pair_id, of_gold.gold_index, of_gold.level, of_gold.text_id AS gold_text,
        of_prediction.text_id AS prediction_text
    FROM of_gold
    JOIN of_prediction USING (pair_id, gold_index, level, key)
    QUALIFY row_number() OVER (
        PARTITION BY of_gold.pair_id, of_gold.gold_index, of_gold.level ORDER BY of_gold.text_id
    ) <= 3
), sample AS (
    SELECT
        couple.pair_id, couple.gold_index, couple.level,
        list(
            'gold ' || diagnose_cell(gold.text) || ', prediction ' || diagnose_cell(prediction.text)
            ORDER BY couple.gold_text
        ) AS examples
    FROM couple
    JOIN evaluation.text AS gold ON gold.text_id = couple.gold_text
    JOIN evaluation.text AS prediction ON prediction.text_id = couple.prediction_text
    GROUP BY ALL
)
SELECT
    level.pair_id, CASE level.level WHEN 'rounding_significant' THEN 'rounding' ELSE level.level END, level.gold_index,
    level.prediction_index, level.repaired, coalesce(sample.examples, []),
    format('gold column {}: {} of ', level.gold_index, level.repaired)
    || CASE WHEN level.changed = 1 THEN '1 differing value is' ELSE format('{} differing values are', level.changed) END
    || ' equal '
    || CASE level.level
        WHEN 'rounding'
        THEN
            'after rounding both to ' || diagnose_count(level.parameter, 'decimal')
            || CASE level.mode
                WHEN 'decimal_places' THEN format(' (the rule asks for {})', level.digits)
                WHEN 'integer' THEN ' (the rule asks for whole numbers)'
                ELSE format(' (the rule asks for {} significant digits)', level.digits)
            END
        WHEN 'rounding_significant'
        THEN format('after rounding both to {} significant digits (the rule asks for {})', level.parameter, level.digits)
        WHEN 'off_by_100'
        THEN
            CASE level.parameter
                WHEN 2 THEN 'once the prediction''s are multiplied by 100 (fractions in place of percentages)'
                ELSE 'once the prediction''s are divided by 100 (percentages in place of fractions)'
            END
        WHEN 'off_by_power_of_ten'
        THEN
            format(
                'once the prediction''s are {} by 10^{}',
                CASE WHEN level.parameter > 0 THEN 'multiplied' ELSE 'divided' END, abs(level.parameter)
            )
        WHEN 'percent_sign' THEN 'once the percent sign is dropped'
        WHEN 'letter_case' THEN 'but for upper and lower case'
        WHEN 'white_space' THEN 'but for white space inside'
        WHEN 'case_and_space' THEN 'but for case and white space'
        WHEN 'null_word' THEN 'once words such as None and NaN are read as empty'
        WHEN 'number_as_text' THEN 'as numbers, but written otherwise'
        WHEN 'date_and_datetime' THEN 'by their day (a date in place of a datetime, or the reverse)'
        ELSE 'but for the time zone mark'
    END
FROM level
LEFT JOIN sample USING (pair_id, gold_index, level);
