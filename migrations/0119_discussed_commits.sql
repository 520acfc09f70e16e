-- Commits that people said something of: their notes are those of every discussion, and know
-- them by these ids.
create table discussed_commits (
    id identity,
    project_id bigint not null references projects (id) on delete cascade,
    sha text not null,                  -- the whole name
    title text not null,
    author_email text not null,         -- as the commit has it
    facts jsonb,                        -- as REST shows it; none of those from before
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create unique index discussed_commits_once on discussed_commits (project_id, sha);

-- Where threads about lines of what a commit changed stand.
create table commit_threads (
    id identity,
    discussed_commit_id bigint not null references discussed_commits (id) on delete cascade,
    discussion_id text not null,
    position jsonb,                     -- none of those from before
    path text,
    line bigint,
    line_type text                      -- new, old
);
create unique index commit_threads_once on commit_threads (discussion_id);
create index commit_threads_of_one on commit_threads (discussed_commit_id);

-- Comments on commits are notes. The name of a discussion is 40 hexadecimal digits.
insert into discussed_commits (project_id, sha, title, author_email, created_at, updated_at)
select project_id, sha, substr(sha, 1, 8), '', min(created_at), max(created_at)
from commit_comments group by project_id, sha;

insert into notes (project_id, noteable_type, noteable_id, discussion_id, in_thread, body,
    author_id, is_system, internal, created_at, updated_at, begins, begins_in_public)
select c.project_id, 'Commit', d.id,
    substr('0000000000000000000000000000000000000000', 1, 40 - length(cast(c.id as text)))
        || cast(c.id as text),
    false, c.note, c.author_id, false, false, c.created_at, c.created_at, true, true
from commit_comments c
join discussed_commits d on d.project_id = c.project_id and d.sha = c.sha order by c.id;

insert into commit_threads (discussed_commit_id, discussion_id, path, line, line_type)
select d.id,
    substr('0000000000000000000000000000000000000000', 1, 40 - length(cast(c.id as text)))
        || cast(c.id as text),
    c.path, c.line, c.line_type
from commit_comments c
join discussed_commits d on d.project_id = c.project_id and d.sha = c.sha
where c.line is not null;

drop table commit_comments;
