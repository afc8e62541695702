-- Sources: ingested databases, their tables, columns, keys and definitions, and the questions asked of them.
-- Inputs: none. Grain: stated in each table's comment. The rows themselves are in schemas src_<db_id>.

CREATE SCHEMA source;

CREATE TABLE source.db (
    db VARCHAR, corpus VARCHAR, db_id VARCHAR, schema_name VARCHAR, artifact VARCHAR, bytes BIGINT, encoding VARCHAR,
    user_version BIGINT, table_count BIGINT, row_count BIGINT
);
COMMENT ON TABLE source.db IS 'One row per ingested SQLite database. Grain: (db)';
COMMENT ON COLUMN source.db.db IS 'Content id over corpus and db_id';
COMMENT ON COLUMN source.db.corpus IS 'Corpus it was ingested into';
COMMENT ON COLUMN source.db.db_id IS 'Name of the database: the file name without its ending';
COMMENT ON COLUMN source.db.schema_name IS 'Lake schema that holds its tables, src_<db_id>';
COMMENT ON COLUMN source.db.artifact IS 'SHA-256 of the SQLite file as delivered, kept in artifacts/';
COMMENT ON COLUMN source.db.bytes IS 'Size of that file, bytes';
COMMENT ON COLUMN source.db.encoding IS 'Text encoding of the SQLite file';
COMMENT ON COLUMN source.db.user_version IS 'PRAGMA user_version';
COMMENT ON COLUMN source.db.table_count IS 'Tables kept in the lake';
COMMENT ON COLUMN source.db.row_count IS 'Rows kept in the lake';

CREATE TABLE source.db_table (
    db VARCHAR, table_name VARCHAR, position INTEGER, kind VARCHAR, lake_table VARCHAR, row_count BIGINT,
    first_rowid BIGINT, last_rowid BIGINT, rowid_alias VARCHAR, without_rowid BOOLEAN, strict BOOLEAN,
    definition VARCHAR, refused VARCHAR
);
COMMENT ON TABLE source.db_table IS 'One row per table of an ingested database. Grain: (db, table_name)';
COMMENT ON COLUMN source.db_table.position IS 'Order of creation, from 0';
COMMENT ON COLUMN source.db_table.kind IS 'table, virtual or shadow';
COMMENT ON COLUMN source.db_table.lake_table IS 'Table name inside the schema of the database; NULL when refused';
COMMENT ON COLUMN source.db_table.row_count IS 'Rows';
COMMENT ON COLUMN source.db_table.first_rowid IS 'Smallest _rowid; NULL when empty';
COMMENT ON COLUMN source.db_table.last_rowid IS 'Largest _rowid; NULL when empty';
COMMENT ON COLUMN source.db_table.rowid_alias IS 'Name by which SQLite gives the rowid that _rowid holds; NULL: _rowid is the ordinal in key order, from 1';
COMMENT ON COLUMN source.db_table.without_rowid IS 'Declared WITHOUT ROWID';
COMMENT ON COLUMN source.db_table.strict IS 'Declared STRICT';
COMMENT ON COLUMN source.db_table.definition IS 'CREATE TABLE statement as stored';
COMMENT ON COLUMN source.db_table.refused IS 'Why the rows are not kept (virtual_table, shadow_table, too_many_columns: more than 1999); NULL when they are';

CREATE TABLE source.db_column (
    db VARCHAR, table_name VARCHAR, position INTEGER, column_name VARCHAR, lake_column VARCHAR, label VARCHAR,
    declared_type VARCHAR, not_null BOOLEAN, default_sql VARCHAR, generated VARCHAR, key_position INTEGER,
    storage VARCHAR, null_count BIGINT, integer_count BIGINT, real_count BIGINT, text_count BIGINT, blob_count BIGINT,
    invalid_text_count BIGINT
);
COMMENT ON TABLE source.db_column IS 'One row per column of a table, with what its cells hold. Grain: (db, table_name, column_name)';
COMMENT ON COLUMN source.db_column.position IS 'Position in the table, from 0';
COMMENT ON COLUMN source.db_column.lake_column IS 'Column name in the lake table; differs from column_name only where that would clash';
COMMENT ON COLUMN source.db_column.label IS 'Natural name given by the question set; NULL when none';
COMMENT ON COLUMN source.db_column.declared_type IS 'Type as declared';
COMMENT ON COLUMN source.db_column.not_null IS 'Declared NOT NULL';
COMMENT ON COLUMN source.db_column.default_sql IS 'DEFAULT expression as declared';
COMMENT ON COLUMN source.db_column.generated IS 'virtual or stored for a generated column, else NULL';
COMMENT ON COLUMN source.db_column.key_position IS 'Position in the primary key, from 1; 0 when not in it';
COMMENT ON COLUMN source.db_column.storage IS 'integer, real, text, blob, empty (only NULL), or tagged: cells of several storage classes, text that is not UTF-8, or both 0.0 and -0.0 in one column; kept as STRUCT(tag, integer, real, text, blob), in it -0.0 as its 8 bytes in blob, highest first';
COMMENT ON COLUMN source.db_column.null_count IS 'NULL cells';
COMMENT ON COLUMN source.db_column.integer_count IS 'INTEGER cells';
COMMENT ON COLUMN source.db_column.real_count IS 'REAL cells';
COMMENT ON COLUMN source.db_column.text_count IS 'TEXT cells';
COMMENT ON COLUMN source.db_column.blob_count IS 'BLOB cells';
COMMENT ON COLUMN source.db_column.invalid_text_count IS 'TEXT cells that are not UTF-8 (kept as bytes in blob, tag text)';

CREATE TABLE source.db_key (
    key VARCHAR, db VARCHAR, table_name VARCHAR, position INTEGER, kind VARCHAR, name VARCHAR, columns VARCHAR[],
    ref_table VARCHAR, ref_columns VARCHAR[], origin VARCHAR, edges BIGINT, violations BIGINT, problem VARCHAR
);
COMMENT ON TABLE source.db_key IS 'One row per primary, unique or foreign key or index of a table. Grain: (key)';
COMMENT ON COLUMN source.db_key.key IS 'Content id over db, table, kind, columns and target';
COMMENT ON COLUMN source.db_key.position IS 'Order within the table and kind; for a declared foreign key SQLite''s own id';
COMMENT ON COLUMN source.db_key.kind IS 'primary, unique, index or foreign';
COMMENT ON COLUMN source.db_key.name IS 'Index name; NULL for foreign keys';
COMMENT ON COLUMN source.db_key.columns IS 'Columns in key order; NULL entries are expressions';
COMMENT ON COLUMN source.db_key.ref_table IS 'Referenced table of a foreign key';
COMMENT ON COLUMN source.db_key.ref_columns IS 'Referenced columns, in the order of columns';
COMMENT ON COLUMN source.db_key.origin IS 'declared in the database, or supplied by the question set or a relations file';
COMMENT ON COLUMN source.db_key.edges IS 'Foreign key: (child row, parent row) pairs';
COMMENT ON COLUMN source.db_key.violations IS 'Foreign key: child rows with a full key and no parent';
COMMENT ON COLUMN source.db_key.problem IS 'Foreign key that SQLite could not enforce: no_such_table, no_such_column, column_count, parent_not_unique (edges are kept in that case); or too_many_pairs: a parent that is not unique would give more than 5,000,000 pairs, and none is kept; else NULL';

CREATE TABLE source.key_edge (db VARCHAR, key VARCHAR, child_rowid BIGINT, parent_rowid BIGINT);
COMMENT ON TABLE source.key_edge IS 'Foreign keys as pairs of rows: what closure walks. Grain: (key, child_rowid, parent_rowid)';
COMMENT ON COLUMN source.key_edge.child_rowid IS '_rowid in the referencing table';
COMMENT ON COLUMN source.key_edge.parent_rowid IS '_rowid in the referenced table';

CREATE TABLE source.key_violation (db VARCHAR, key VARCHAR, child_rowid BIGINT);
COMMENT ON TABLE source.key_violation IS 'Child rows whose full foreign key has no parent in the source: recorded, never repaired. Grain: (key, child_rowid)';

CREATE TABLE source.definition (db VARCHAR, kind VARCHAR, name VARCHAR, table_name VARCHAR, position INTEGER, sql VARCHAR);
COMMENT ON TABLE source.definition IS 'One row per view, trigger, explicit index or CHECK of a database, as stored. Grain: (db, kind, name)';
COMMENT ON COLUMN source.definition.kind IS 'view, trigger, index or check';
COMMENT ON COLUMN source.definition.name IS 'Name; a CHECK has its table''s name and ordinal';
COMMENT ON COLUMN source.definition.sql IS 'Statement as stored; for a CHECK its expression';

CREATE TABLE source.question (
    question VARCHAR, number BIGINT, corpus VARCHAR, qid VARCHAR, db VARCHAR, db_id VARCHAR, question_text VARCHAR,
    sql VARCHAR, source_sql VARCHAR, evidence VARCHAR, language VARCHAR, split VARCHAR, difficulty VARCHAR, extra VARCHAR
);
COMMENT ON TABLE source.question IS 'One row per question of an ingested question set. Grain: (question)';
COMMENT ON COLUMN source.question.question IS 'Content id over corpus and qid';
COMMENT ON COLUMN source.question.number IS 'Number in the lake, from 1, in order of ingest: the N of task_N';
COMMENT ON COLUMN source.question.qid IS 'Id in the question set';
COMMENT ON COLUMN source.question.db IS 'Database it asks of; NULL while that is not ingested';
COMMENT ON COLUMN source.question.db_id IS 'Name of that database in the question set';
COMMENT ON COLUMN source.question.question_text IS 'The question as given';
COMMENT ON COLUMN source.question.sql IS 'Gold SQL in SQLite''s dialect, after the set''s own post-processing; NULL: unanswerable';
COMMENT ON COLUMN source.question.source_sql IS 'Gold SQL as delivered, where post-processing changed it';
COMMENT ON COLUMN source.question.evidence IS 'Hint that belongs to the question; empty when none';
COMMENT ON COLUMN source.question.language IS 'Language code when the set says';
COMMENT ON COLUMN source.question.extra IS 'Other fields of the set, as JSON';
