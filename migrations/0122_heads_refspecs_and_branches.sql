-- The refs of their merge requests are left out of every fetch.
create index users_banned on users (id) where state = 'banned';

-- Whether the program of a machine knows refspecs, without which it fetches branches and tags
-- alone; none until it asks for a job.
alter table ci_runner_managers add column knows_refspecs boolean;

-- What branches of issues are called.
alter table merge_request_settings add column issue_branch_template text;
