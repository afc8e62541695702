-- Canonical numbers: exact decimals, rounded half up (away from zero) on the grid of a rule. No binary floats.
-- A number is read once, as size / 10^scale, and rounded under each rule that asks for it.
-- Fast: ASCII spellings of up to 18 digits, whose result has up to 18. All others that may be numbers are slow.

-- The usual spelling, which needs no taking apart: digits and perhaps a point.
CREATE OR REPLACE TEMP MACRO canon_is_plain_number(stripped) AS
    strlen(stripped) <= 19 AND regexp_full_match(stripped, '-?[0-9]{1,18}(\.[0-9]{0,17})?');

-- The parts of any other spelling: all empty when it is no number in ASCII.
CREATE OR REPLACE TEMP MACRO canon_number_parts(stripped) AS
    regexp_extract(
        stripped,
        '^([+-]?)([0-9]{1,3}(?:,[0-9]{3})+|[0-9]*)(?:(\.)([0-9]*))?(?:[eE]([+-]?[0-9]+))?[\x09-\x0d\x1c-\x20]*(%?)$',
        ['sign', 'whole', 'point', 'fraction', 'exponent', 'percent']
    );

-- Not in ASCII, but of nothing except what numbers are made of and digits of other scripts, so it may be a number.
CREATE OR REPLACE TEMP MACRO canon_maybe_number(stripped) AS
    strlen(stripped) > length(stripped)
    AND regexp_full_match(stripped, '([0-9+\-.,eE%\s]|[^\x00-\x7f\p{L}\p{P}\p{S}\p{M}])+');

-- A number rule as one small integer: digits * 9 + percent * 3 + mode. mode: 0 integer, 1 decimal places, 2 significant
-- digits; percent: 0 not allowed, 1 dropped, 2 divides by 100.
CREATE OR REPLACE TEMP MACRO canon_number_kind(mode, digits, unit, allow_percent_sign) AS
    coalesce(digits, 0) * 9
    + CASE WHEN NOT allow_percent_sign THEN 0 WHEN unit = 'fraction' THEN 6 ELSE 3 END
    + CASE mode WHEN 'integer' THEN 0 WHEN 'decimal_places' THEN 1 ELSE 2 END;

-- What one looks up of a number with each cell, in one column beside its size: form is (scale + 128) * 128 + length * 4
-- + kind. kind: 0 NULL, 1 plain, 2 with a percent sign, 3 slow.
CREATE OR REPLACE TEMP MACRO canon_form(scale, length, kind) AS ((scale + 128) * 128 + length * 4 + kind)::SMALLINT;
CREATE OR REPLACE TEMP MACRO canon_form_kind(form) AS form & 3;
CREATE OR REPLACE TEMP MACRO canon_form_length(form) AS form // 4 % 32;
CREATE OR REPLACE TEMP MACRO canon_form_scale(form) AS form // 128 - 128;

-- From here on: size (not negative) and scale as in value = size / 10^scale, length the number of digits of size.

-- One constant: a list written out in SQL would be planned anew for each of its many uses.
CREATE OR REPLACE TEMP MACRO canon_power(exponent) AS
    (CAST('[1,10,100,1000,10000,100000,1000000,10000000,100000000,1000000000,10000000000,100000000000,1000000000000,'
     || '10000000000000,100000000000000,1000000000000000,10000000000000000,100000000000000000,1000000000000000000]' AS BIGINT[]))[exponent + 1];

-- Nearest multiple of 10^places, divided by it; ties away from zero. Of 18 digits, 19 places leave nothing.
CREATE OR REPLACE TEMP MACRO canon_round(size, places) AS
    CASE WHEN places > 18 THEN 0 ELSE (size + 5 * canon_power(places - 1)) // canon_power(places) END;

CREATE OR REPLACE TEMP MACRO canon_integer(size, scale, length) AS
    CASE
        WHEN size = 0 THEN 0
        WHEN scale <= 0 THEN CASE WHEN length - scale > 18 THEN canon_slow() ELSE size * canon_power(-scale) END
        WHEN scale > 18 OR size % canon_power(scale) <> 0 THEN NULL
        ELSE size // canon_power(scale)
    END;

CREATE OR REPLACE TEMP MACRO canon_decimal_places(size, scale, length, digits) AS
    CASE
        WHEN size = 0 THEN 0
        WHEN length + digits - scale > 17 THEN canon_slow()
        WHEN scale <= digits THEN size * canon_power(digits - scale)
        ELSE canon_round(size, scale - digits)
    END;

-- Exactly `digits` digits, and the exponent of the first of them in the last 11 bits.
CREATE OR REPLACE TEMP MACRO canon_significant_digits(size, scale, length, digits) AS
    CASE
        WHEN size = 0 THEN 0
        WHEN digits NOT BETWEEN 1 AND 15 OR abs(length - 1 - scale) > 999 THEN canon_slow()
        WHEN length <= digits THEN size * canon_power(digits - length) * 2048 + (length - 1 - scale + 1024)
        WHEN canon_round(size, length - digits) = canon_power(digits)
        THEN canon_power(digits - 1) * 2048 + (length - scale + 1024)
        ELSE canon_round(size, length - digits) * 2048 + (length - 1 - scale + 1024)
    END;

-- The code of a number that is not negative, under a rule's kind.
CREATE OR REPLACE TEMP MACRO canon_number(size, scale, length, kind) AS
    CASE kind % 3
        WHEN 0 THEN canon_integer(size, scale, length)
        WHEN 1 THEN canon_decimal_places(size, scale, length, kind // 9)
        ELSE canon_significant_digits(size, scale, length, kind // 9)
    END;
