-- Snippets: some files of a person or a project, in a repository of their own.
create table snippets (
    id identity,
    project_id bigint references projects (id) on delete cascade,
    author_id bigint references users (id) on delete set null,
    title text not null,
    description text,
    visibility bigint not null,         -- 0 private, 10 internal, 20 public
    files jsonb not null,               -- the paths of its files, as its branch has them
    is_written boolean not null,        -- its first files are there
    user_agent text not null,           -- what it was made with, and from where
    ip_address text not null,
    marked_as_spam_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create index snippets_by_project on snippets (project_id, id);
create index snippets_by_author on snippets (author_id, id);
create index snippets_by_visibility on snippets (visibility, id);

-- The repository of a snippet counts for its project, or for the namespace of its author.
alter table repositories add column snippet_id bigint references snippets (id) on delete cascade;
drop index repositories_of_project;
drop index repositories_of_group;
create unique index repositories_of_project on repositories (project_id, kind) where snippet_id is null;
create unique index repositories_of_group on repositories (group_id, kind) where snippet_id is null;
create unique index repositories_of_snippet on repositories (snippet_id);
create index repositories_by_project on repositories (project_id);
create index repositories_by_group on repositories (group_id);
