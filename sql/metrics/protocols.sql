-- How well did each run do under the protocols of other benchmarks?
-- Inputs: score.answer_result. Grain: (run, label_set). Our figures count every labelled question, answered or not.
CREATE SCHEMA IF NOT EXISTS metrics;

-- The three metrics of DABench. As published they count only questions with a response, and of answers that share a
-- name only the last.
CREATE OR REPLACE VIEW metrics.answer_accuracy AS
WITH by_question AS (
    SELECT
        run, label_set, question,
        count(*) AS answers, count(*) FILTER (passed) AS right_answers,
        count(published) AS published_answers, count(*) FILTER (published) AS published_right_answers
    FROM score.answer_result
    WHERE protocol = 'dabench'
    GROUP BY run, label_set, question
)
SELECT
    run, label_set, count(*) AS questions, count(*) FILTER (published_answers > 0) AS answered,
    sum(answers)::BIGINT AS answers,
    sum(right_answers / answers) / count(*) AS proportional,
    count(*) FILTER (right_answers = answers) / count(*) AS by_question,
    sum(right_answers) / sum(answers) AS by_sub_question,
    coalesce(sum(published_right_answers / nullif(published_answers, 0)) / nullif(answered, 0), 0) AS published_proportional,
    coalesce(count(*) FILTER (published_right_answers = published_answers AND published_answers > 0) / nullif(answered, 0), 0)
        AS published_by_question,
    coalesce(sum(published_right_answers) / nullif(sum(published_answers), 0), 0) AS published_by_sub_question
FROM by_question
GROUP BY run, label_set;
COMMENT ON VIEW metrics.answer_accuracy IS 'DABench: the three accuracies of each run, ours over all questions and as published over the answered ones. Grain: (run, label_set)';

-- The reliability score of EHRSQL: 1 for a right answer or a right refusal, 0 for refusing what has an answer, minus the
-- penalty for the rest; with penalty N one wrong answer outweighs all right ones.
CREATE OR REPLACE VIEW metrics.reliability_score AS
WITH counted AS (
    SELECT
        run, label_set, count(*) AS questions, count(*) FILTER (passed) AS correct,
        count(*) FILTER (code = 'abstained') AS abstained, questions - correct - abstained AS wrong
    FROM score.answer_result
    WHERE protocol = 'ehrsql' AND passed IS NOT NULL
    GROUP BY run, label_set
)
SELECT
    run, label_set, questions, correct, abstained, wrong,
    correct / questions AS rs_0,
    (correct - 5 * wrong) / questions AS rs_5,
    (correct - 10 * wrong) / questions AS rs_10,
    (correct - questions * wrong) / questions AS rs_n
FROM counted;
COMMENT ON VIEW metrics.reliability_score IS 'EHRSQL: reliability scores RS(0), RS(5), RS(10) and RS(N) of each run, N being the number of questions. Grain: (run, label_set)';

CREATE OR REPLACE VIEW metrics.execution_accuracy AS
SELECT
    run, label_set, count(passed) AS questions, count(*) FILTER (passed) AS passed_questions,
    count(*) FILTER (published) AS published_bird, count(*) FILTER (published_spider) AS published_spider,
    count(*) FILTER (passed) / nullif(count(passed), 0) AS accuracy,
    count(*) FILTER (published) / nullif(count(passed), 0) AS published_bird_accuracy,
    count(*) FILTER (published_spider) / nullif(count(passed), 0) AS published_spider_accuracy,
    count(*) FILTER (passed IS NULL) AS without_gold
FROM score.answer_result
WHERE protocol = 'execution'
GROUP BY run, label_set;
COMMENT ON VIEW metrics.execution_accuracy IS 'Execution match of each run: ours, and as BIRD and Spider''s test suite publish it; questions whose gold cannot be had are left out. Grain: (run, label_set)';
