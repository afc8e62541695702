-- What does a value mean that a model wrote? Macros for the rules of DABench and EHRSQL.
-- Input: a text. Grain: one value per text.

-- A number as Python's float() reads it (blanks around it, 1e5, 1_000, inf, nan, full-width digits), NULL for no number.
-- DuckDB alone would also take +-1.
CREATE OR REPLACE MACRO score.answer_number(text) AS
    CASE WHEN NOT regexp_matches(text, '[+-]\s*[+-]')
        THEN try_cast(translate(text, '０１２３４５６７８９', '0123456789') AS DOUBLE) END;

-- The pattern of a cell in a table that is written as a Python list: a quoted text, None or a number.
CREATE OR REPLACE MACRO score.answer_cell_pattern() AS
    $$(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|None|-?[0-9][-+.e0-9]*)$$;

-- The text of such a cell. No control character stands in one, so one can hold the place of a backslash.
CREATE OR REPLACE MACRO score.answer_cell_text(cell) AS
    CASE
        WHEN cell[1] NOT IN ('''', '"') THEN cell
        WHEN NOT contains(cell, '\') THEN cell[2:-2]
        ELSE replace(replace(replace(replace(replace(replace(replace(cell[2:-2],
            '\\', chr(1)), '\''', ''''), '\"', '"'), '\n', chr(10)), '\t', chr(9)), '\r', chr(13)), chr(1), '\')
    END;

-- What EHRSQL compares of it: a number has three decimals, another text no blanks around it. Half of a thousandth rounds
-- away from zero, on the decimal digits as written.
CREATE OR REPLACE MACRO score.answer_cell(cell) AS
    coalesce(
        CASE WHEN regexp_full_match(
            score.answer_cell_text(cell),
            '\s*[+-]?([0-9]{1,35}(\.[0-9]{0,50})?|\.[0-9]{1,50})([eE][+-]?[0-9]{1,2})?\s*'
        ) THEN try_cast(trim(score.answer_cell_text(cell)) AS DECIMAL(38, 3))::VARCHAR END,
        trim(score.answer_cell_text(cell))
    );
