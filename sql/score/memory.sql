-- The tables that the queries of this folder work on, for a run without a lake: as in sql/schema.
CREATE SCHEMA evaluation;
CREATE TABLE evaluation.text (text_id INTEGER, text VARCHAR);
CREATE TABLE evaluation.table_file (
    file VARCHAR, file_no INTEGER, header VARCHAR[], row_count BIGINT, column_count INTEGER, problem VARCHAR
);
CREATE TABLE evaluation.table_row (file_no INTEGER, row INTEGER, cells INTEGER[]);
CREATE TABLE evaluation.rule (
    rule_id INTEGER, type VARCHAR, mode VARCHAR, digits INTEGER, unit VARCHAR, allow_percent_sign BOOLEAN
);
CREATE TABLE evaluation.text_reading (
    text_id INTEGER, canonical_id BIGINT, is_null BOOLEAN, size BIGINT, number_form INTEGER, day BIGINT,
    moment BIGINT, truth INTEGER
);
CREATE TABLE evaluation.exact_value (rule_id INTEGER, text_id INTEGER, code BIGINT);
CREATE TABLE evaluation.column_reading (
    file_no INTEGER, column_index INTEGER, rule_id INTEGER, readable BOOLEAN, values_hash BIGINT, sequence_hash BIGINT,
    hashed_by VARCHAR
);
CREATE TABLE evaluation.comparison (
    gold_no INTEGER, gold_reading VARCHAR, prediction_no INTEGER, prediction_reading VARCHAR, equal BOOLEAN
);
