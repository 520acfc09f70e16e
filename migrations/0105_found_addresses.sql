-- The address of the environment of a job, where reports of variables decide on it: known
-- when the job has ended well.
alter table ci_jobs add column environment_url text;
