-- Where threads about lines, images and files of merge requests stand; their notes are
-- those of every discussion.
create table review_threads (
    id identity,
    discussion_id text not null,
    merge_request_id bigint not null references merge_requests (id) on delete cascade,
    original_position jsonb not null,   -- never changes
    position jsonb not null,            -- in the newest version, or where it was seen last
    change_position jsonb,              -- where it is seen what became of it
    line_code text,
    commit_id text,
    is_outdated boolean not null        -- what it is about is not in the newest version
);
create unique index review_threads_once on review_threads (discussion_id);
create index review_threads_of_one on review_threads (merge_request_id, id);
create index review_threads_to_follow on review_threads (merge_request_id, id)
    where not is_outdated;

-- What somebody wrote of a review and did not publish yet.
create table draft_notes (
    id identity,
    merge_request_id bigint not null references merge_requests (id) on delete cascade,
    author_id bigint not null references users (id) on delete cascade,
    discussion_id text,                 -- what it answers
    resolves_discussion boolean not null,
    body text not null,
    original_position jsonb,
    position jsonb,
    change_position jsonb,
    line_code text,
    commit_id text,
    created_at timestamptz not null
);
create index draft_notes_of_one on draft_notes (merge_request_id, author_id, id);
create index draft_notes_by_author on draft_notes (author_id);
