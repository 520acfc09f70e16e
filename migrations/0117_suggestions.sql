-- Changes that notes about lines suggest. Which lines these are is told by where the thread
-- stands that the note is in.
create table suggestions (
    id identity,
    note_id bigint not null references notes (id) on delete cascade,
    place bigint not null,              -- among those of its note
    lines_above bigint not null,        -- that are replaced, beside the line of the thread
    lines_below bigint not null,
    from_content text not null,         -- whole lines
    to_content text not null,
    is_outdated boolean not null default false,     -- the lines are other ones by now
    applied_commit_id text
);
create unique index suggestions_once on suggestions (note_id, place);

-- Commits that apply suggestions, noted before the branch moves to them.
create table suggestion_commits (
    suggestion_id bigint not null references suggestions (id) on delete cascade,
    commit_id text not null,
    primary key (suggestion_id, commit_id)
);
create index suggestion_commits_by_commit on suggestion_commits (commit_id);

-- The lines around a thread, as far as what is suggested there reaches.
alter table review_threads add column around_from bigint;
alter table review_threads add column around_text text;
alter table draft_notes add column around_from bigint;
alter table draft_notes add column around_text text;
