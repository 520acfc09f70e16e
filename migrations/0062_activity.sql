-- What people did, one row for each deed, written with it. A row is of a project,
-- or of a group, or of neither.
create table activity_events (
    id identity,
    project_id bigint references projects (id) on delete cascade,
    group_id bigint references namespaces (id) on delete cascade,
    author_id bigint not null references users (id) on delete cascade,
    action text not null,
    target_type text not null,          -- as Issue; Member where somebody came or went
    target_id bigint,
    target_title text,                  -- of what is gone
    created_at timestamptz not null
);
create index activity_events_of_project on activity_events (project_id, id);
create index activity_events_of_group on activity_events (group_id, id);
create index activity_events_of_author on activity_events (author_id, id);
create index activity_events_of_target on activity_events (target_type, target_id);
create index activity_events_by_time on activity_events (created_at, id);

-- Which of their tokens for feeds a user has now: one is signed, not stored.
alter table users add column feed_token_number bigint not null default 0;
