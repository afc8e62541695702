-- Table files as rows of text ids over one dictionary, and what the evaluator keeps of them: canonical values and
-- column fingerprints under each rule, and verdicts that are never overwritten.
-- Inputs: the tables of 005 and 007, whose contents move over. Grain: stated in each table's comment.

CREATE TABLE evaluation.text (text_id INTEGER, text VARCHAR);
COMMENT ON TABLE evaluation.text IS 'Dictionary of the distinct cell texts of all table files. Grain: (text_id)';
COMMENT ON COLUMN evaluation.text.text_id IS 'Number of the text, from 1';
INSERT INTO evaluation.text
SELECT row_number() OVER (ORDER BY text), text
FROM (SELECT DISTINCT unnest(cells) AS text FROM evaluation.table_row)
ORDER BY text;

ALTER TABLE evaluation.table_file ADD COLUMN file_no INTEGER;
COMMENT ON COLUMN evaluation.table_file.file_no IS 'Number of the file, from 1';
UPDATE evaluation.table_file SET file_no = numbered.file_no
FROM (SELECT file AS name, row_number() OVER (ORDER BY file) AS file_no FROM evaluation.table_file) AS numbered
WHERE numbered.name = file;

ALTER TABLE evaluation.table_row RENAME TO old_table_row;
CREATE TABLE evaluation.table_row (file_no INTEGER, row INTEGER, cells INTEGER[]);
COMMENT ON TABLE evaluation.table_row IS 'Rows of the readable table files, each as the list of its texts'' ids. Grain: (file_no, row)';
COMMENT ON COLUMN evaluation.table_row.row IS 'Row number, from 0';
COMMENT ON COLUMN evaluation.table_row.cells IS 'text_id of each cell, in column order';
INSERT INTO evaluation.table_row
SELECT table_file.file_no, cell.row, list(text.text_id ORDER BY cell.place)
FROM (
    SELECT file, row, unnest(cells) AS text, generate_subscripts(cells, 1) AS place FROM evaluation.old_table_row
) AS cell
JOIN evaluation.text USING (text)
JOIN evaluation.table_file USING (file)
GROUP BY table_file.file_no, cell.row
ORDER BY table_file.file_no, cell.row;
DROP TABLE evaluation.old_table_row;

CREATE TABLE evaluation.suite_task (task VARCHAR, task_name VARCHAR, corpus VARCHAR);
COMMENT ON TABLE evaluation.suite_task IS 'Tasks of suites made elsewhere, of which the lake has gold and configuration only. Grain: (task)';

CREATE TABLE evaluation.rule (
    rule_id INTEGER, type VARCHAR, mode VARCHAR, digits INTEGER, unit VARCHAR, allow_percent_sign BOOLEAN
);
COMMENT ON TABLE evaluation.rule IS 'The ways in which columns are read; configurations share them. Grain: (rule_id)';
COMMENT ON COLUMN evaluation.rule.rule_id IS 'Number of the rule, from 1';
COMMENT ON COLUMN evaluation.rule.mode IS 'Numbers: integer, decimal_places or significant_digits';

CREATE TABLE evaluation.text_reading (
    text_id INTEGER, canonical_id BIGINT, is_null BOOLEAN, size BIGINT, number_form INTEGER, day BIGINT,
    moment BIGINT, truth INTEGER
);
COMMENT ON TABLE evaluation.text_reading IS 'What a text says under any rule, for the macro canon_code. Grain: (text_id)';
COMMENT ON COLUMN evaluation.text_reading.canonical_id IS 'As text: text_id of the canonical text; or a code of sql/canon/cell.sql';
COMMENT ON COLUMN evaluation.text_reading.is_null IS 'Whether it is NULL in every type but text';
COMMENT ON COLUMN evaluation.text_reading.size IS 'As number: size / 10^scale';
COMMENT ON COLUMN evaluation.text_reading.number_form IS '(scale + 128) * 128 + digits of size * 4 + kind; kind: 0 NULL, 1 plain, 2 with a percent sign, 3 the exact path decides; NULL when it is no number';
COMMENT ON COLUMN evaluation.text_reading.day IS 'As date: days since 1970-01-01; or a code of sql/canon/cell.sql';
COMMENT ON COLUMN evaluation.text_reading.moment IS 'As datetime: twice the microseconds since 1970-01-01, plus one when in UTC; or such a code';
COMMENT ON COLUMN evaluation.text_reading.truth IS 'As boolean: 1 or 0';

CREATE TABLE evaluation.exact_value (rule_id INTEGER, text_id INTEGER, code BIGINT);
COMMENT ON TABLE evaluation.exact_value IS 'Values that only the exact path can tell. Grain: (rule_id, text_id)';
COMMENT ON COLUMN evaluation.exact_value.code IS 'As in sql/canon/cell.sql; NULL: unreadable';

CREATE TABLE evaluation.column_reading (
    file_no INTEGER, column_index INTEGER, rule_id INTEGER, readable BOOLEAN, values_hash BIGINT, sequence_hash BIGINT,
    hashed_by VARCHAR
);
COMMENT ON TABLE evaluation.column_reading IS 'A column of a table file read under a rule. Grain: (file_no, column_index, rule_id)';
COMMENT ON COLUMN evaluation.column_reading.readable IS 'Whether every cell can be read';
COMMENT ON COLUMN evaluation.column_reading.values_hash IS 'Fingerprint of the values in any order; prunes, never decides a pass';
COMMENT ON COLUMN evaluation.column_reading.sequence_hash IS 'Fingerprint of the values in row order';
COMMENT ON COLUMN evaluation.column_reading.hashed_by IS 'Version of DuckDB whose hash the fingerprints use';

CREATE TABLE evaluation.comparison (
    gold_no INTEGER, gold_reading VARCHAR, prediction_no INTEGER, prediction_reading VARCHAR, equal BOOLEAN
);
COMMENT ON TABLE evaluation.comparison IS 'Two table files compared as relations: by their rows, under the same rules. Grain: (gold_no, gold_reading, prediction_no, prediction_reading)';
COMMENT ON COLUMN evaluation.comparison.gold_reading IS 'sequence or multiset of rows, then column_index:rule_id of each column';
COMMENT ON COLUMN evaluation.comparison.prediction_reading IS 'column_index:rule_id of the column that stands for each of them';
COMMENT ON COLUMN evaluation.comparison.equal IS 'Whether the rows are equal, decided by their values';

CREATE TABLE score.verdict (
    prediction_file VARCHAR, gold_file VARCHAR, config_digest VARCHAR, evaluator_version VARCHAR, passed BOOLEAN,
    error_code VARCHAR, message VARCHAR, column_mapping INTEGER[], gold_row_count BIGINT, prediction_row_count BIGINT,
    gold_column_count INTEGER, prediction_column_count INTEGER, undecided BOOLEAN
);
COMMENT ON TABLE score.verdict IS 'One row per verdict; runs that made the same file share it, and none is overwritten. Grain: (prediction_file, gold_file, config_digest, evaluator_version)';
COMMENT ON COLUMN score.verdict.prediction_file IS 'SHA-256 of the prediction; missing: none was made; unusable: it could not be taken';
COMMENT ON COLUMN score.verdict.error_code IS 'Code of spec 1.0 of the evaluator; NULL when passed';
COMMENT ON COLUMN score.verdict.column_mapping IS 'Prediction column of each gold column, from 0; NULL unless passed';
COMMENT ON COLUMN score.verdict.undecided IS 'The search for a column mapping met its bound; the task counts as wrong';
INSERT INTO score.verdict
SELECT DISTINCT ON (prediction_file, gold_file, config_digest, evaluator_version)
    prediction_file, gold_file, config_digest, evaluator_version, passed, error_code, message, column_mapping,
    gold_row_count, prediction_row_count, gold_column_count, prediction_column_count, undecided
FROM score.task_result
ORDER BY ALL;
DROP VIEW IF EXISTS score.latest_result;
DROP TABLE score.task_result;
