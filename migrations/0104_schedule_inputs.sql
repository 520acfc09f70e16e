-- What the pipelines of a schedule are given for the inputs that their file declares: a
-- list of names and values.
alter table ci_schedules add column inputs jsonb not null default '[]';
