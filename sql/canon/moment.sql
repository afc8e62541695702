-- Canonical dates (days since 1970-01-01) and datetimes (microseconds since then, twice, plus one when in UTC).
-- Input: a stripped cell that is not NULL, and its form. Fast: YYYY-MM-DD or YYYYMMDD, and the former with a time
-- HH:MM:SS of up to six decimals and perhaps a Z. Whatever else begins like an ISO date is slow, the rest unreadable.
-- The form is matched first: DuckDB's casts take more than ISO, ignore offsets and overlook rubbish.
CREATE OR REPLACE TEMP MACRO canon_moment_form(stripped) AS
    CASE
        WHEN strlen(stripped) < 7 OR NOT regexp_matches(stripped, '^[0-9]{4}(-?[0-9]{2}-?[0-9]{2}|-?W[0-9]{2})') THEN NULL
        WHEN regexp_full_match(stripped, '[0-9]{4}-[0-9]{2}-[0-9]{2}') THEN 'extended'
        WHEN regexp_full_match(stripped, '[0-9]{8}') THEN 'basic'
        WHEN regexp_full_match(
            stripped,
            '[0-9]{4}-[0-9]{2}-[0-9]{2}[T ]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,6})?Z?'
        ) THEN 'time'
        ELSE 'other'
    END;

-- NULL for a date that does not exist, such as 02-30, and for the year 0.
CREATE OR REPLACE TEMP MACRO canon_day(stripped, form) AS
    CASE
        WHEN stripped < '0001' THEN NULL
        WHEN form = 'basic' THEN try_cast(stripped[:4] || '-' || stripped[5:6] || '-' || stripped[7:] AS DATE)
        ELSE try_cast(stripped[:10] AS DATE)
    END;

CREATE OR REPLACE TEMP MACRO canon_date(stripped, form) AS
    CASE
        WHEN form IS NULL THEN NULL
        WHEN form = 'other' THEN canon_slow()
        WHEN form = 'time' AND regexp_matches(stripped[11:], '[1-9]') THEN NULL
        ELSE (canon_day(stripped, form) - DATE '1970-01-01')::BIGINT
    END;

CREATE OR REPLACE TEMP MACRO canon_datetime(stripped, form) AS
    CASE
        WHEN form IS NULL THEN NULL
        WHEN form = 'other' THEN canon_slow()
        WHEN form <> 'time' THEN (canon_day(stripped, form) - DATE '1970-01-01')::BIGINT * 172800000000
        WHEN stripped < '0001' THEN NULL
        ELSE
            epoch_us(try_cast(stripped[:10] || ' ' || replace(stripped[12:], 'Z', '') AS TIMESTAMP)) * 2
            + CASE WHEN suffix(stripped, 'Z') THEN 1 ELSE 0 END
    END;
