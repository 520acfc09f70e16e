-- Threads that are settled: since when, and by whom. All notes of a thread by
-- people say the same; what answers a settled thread is settled, too.
alter table notes add column resolved_at timestamptz;
alter table notes add column resolved_by_id bigint references users (id) on delete set null;
create index notes_by_resolver on notes (resolved_by_id) where resolved_by_id is not null;
-- What is not settled yet, thread by thread.
create index notes_to_resolve on notes (noteable_type, noteable_id, discussion_id)
    where in_thread and not is_system and resolved_at is null;
