-- Commits that a merge request shows beside its own, for who reviews it.
create table merge_request_context_commits (
    id identity,
    merge_request_id bigint not null references merge_requests (id) on delete cascade,
    commit_id text not null,
    created_at timestamptz not null
);
create unique index merge_request_context_commits_once on merge_request_context_commits
    (merge_request_id, commit_id);

-- The merge request that a note of the program names: only who sees that sees the note.
alter table notes add column names_request_id bigint references merge_requests (id) on delete cascade;
create index notes_by_named_request on notes (names_request_id);

-- Merge requests are found by the words that stand in them (docs/decisions/0014-search-index.md).
on sqlite create virtual table search_merge_requests using fts5 (terms, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii', prefix = '2 3 4 5 6 7 8 9 10 11 12');
on sqlite create trigger search_merge_requests_gone after delete on merge_requests begin delete from search_merge_requests where rowid = old.id; end;
on postgres create table search_merge_requests (rowid bigint primary key references merge_requests (id) on delete cascade, terms tsvector not null);
on postgres create index search_merge_requests_by_terms on search_merge_requests using gin (terms);

-- Those that are rebased now, so that what nobody ends is found.
create index merge_requests_rebasing on merge_requests (rebase_started_at) where rebase_started_at is not null;
