-- Forks. What is forked from what stands in projects.forked_from_id.
-- The project that began the network of forks one belongs to; it may be gone by now.
alter table projects add column fork_network_id bigint;
alter table projects add column mr_default_target_self boolean not null default false;
create index projects_by_fork_network on projects (fork_network_id);
