-- How many bytes the repository of a project may have, with its large files; 0 for any
-- number. Null is as the nearest group above has it, or the instance.
alter table projects add column repository_size_limit bigint;
alter table namespaces add column repository_size_limit bigint;
