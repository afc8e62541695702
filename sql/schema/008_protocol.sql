-- Answers under the protocols of other benchmarks (DABench, EHRSQL, execution match), kept as they were given and judged.
-- Inputs: none. Grain: stated in each table's comment.

CREATE TABLE run.response (run VARCHAR, protocol VARCHAR, instance VARCHAR, response VARCHAR);
COMMENT ON TABLE run.response IS 'What a run answered: free text, SQL, or a table as text; an instance without a row got no answer. Grain: (run, protocol, instance)';
COMMENT ON COLUMN run.response.run IS 'Name of the run';
COMMENT ON COLUMN run.response.protocol IS 'dabench, ehrsql or execution';
COMMENT ON COLUMN run.response.instance IS 'Id of the question in its benchmark';
COMMENT ON COLUMN run.response.response IS 'The answer, as given';

CREATE TABLE score.answer_result (
    run VARCHAR, protocol VARCHAR, label_set VARCHAR, question VARCHAR, answer VARCHAR, place INTEGER, label VARCHAR,
    given VARCHAR, passed BOOLEAN, code VARCHAR, message VARCHAR, published BOOLEAN, published_spider BOOLEAN
);
COMMENT ON TABLE score.answer_result IS 'One row per answer that a question asks for, with our verdict and that of the benchmark''s own rule. Grain: (run, protocol, label_set, question, answer, place)';
COMMENT ON COLUMN score.answer_result.label_set IS 'Id of what was held against the run: the labels and the version of the rules';
COMMENT ON COLUMN score.answer_result.question IS 'Id of the question in its benchmark';
COMMENT ON COLUMN score.answer_result.answer IS 'Name of the answer; table where the question asks for one table';
COMMENT ON COLUMN score.answer_result.place IS 'Number of the label among those of the same name, from 0';
COMMENT ON COLUMN score.answer_result.label IS 'The labelled value: a text, a table as text, or gold SQL';
COMMENT ON COLUMN score.answer_result.given IS 'DABench: the value found in the response, NULL when there is none. Elsewhere NULL: run.response has it';
COMMENT ON COLUMN score.answer_result.passed IS 'Our verdict; NULL when the gold itself cannot be had';
COMMENT ON COLUMN score.answer_result.code IS 'Why it did not pass (docs/codes.md); NULL when it did';
COMMENT ON COLUMN score.answer_result.message IS 'One sentence that says more; NULL when there is nothing more to say';
COMMENT ON COLUMN score.answer_result.published IS 'Verdict of the benchmark''s own rule (of BIRD''s for execution); NULL for what that rule does not count';
COMMENT ON COLUMN score.answer_result.published_spider IS 'Execution: verdict of the rule of Spider''s test suite; NULL elsewhere';
