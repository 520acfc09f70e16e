-- What programs say of a commit, and what people do.
create table commit_statuses (
    id identity,
    project_id bigint not null references projects (id) on delete cascade,
    sha text not null,
    ref text not null,
    name text not null,
    status text not null,               -- pending, running, success, failed, canceled, skipped
    target_url text,
    description text,
    coverage double precision,
    author_id bigint references users (id) on delete set null,
    is_newest boolean not null,         -- no later one has its ref and name
    created_at timestamptz not null,
    started_at timestamptz,
    finished_at timestamptz
);
create index commit_statuses_by_commit on commit_statuses (project_id, sha, id);
create index commit_statuses_by_author on commit_statuses (author_id);
create unique index commit_statuses_newest on commit_statuses (project_id, sha, ref, name)
    where is_newest;

create table commit_comments (
    id identity,
    project_id bigint not null references projects (id) on delete cascade,
    sha text not null,
    note text not null,
    path text,                          -- of the line that it is on
    line bigint,
    line_type text,                     -- new, old
    author_id bigint references users (id) on delete set null,
    created_at timestamptz not null
);
create index commit_comments_by_commit on commit_comments (project_id, sha, id);
create index commit_comments_by_author on commit_comments (author_id);
