-- Merges rebase what lacks commits of its target, where the method asks for them.
alter table merge_request_settings add column automatic_rebase boolean not null default false;
-- The last of the source's commits as such a merge made them again: the source did not move.
alter table merge_requests add column rebased_commit_id text;
