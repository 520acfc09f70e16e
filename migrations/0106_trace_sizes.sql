-- The size of a log is where its last piece ends: a row of a job is long, and was written
-- anew for each piece.
alter table ci_jobs drop column trace_size;
-- What comes before a job is found without looking at all of its pipeline.
create index ci_jobs_by_stage on ci_jobs (pipeline_id, stage_index, position) where not retried;
