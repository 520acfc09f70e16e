-- Releases: what is said of a tag, and what can be had with it.
create table releases (
    id identity,
    project_id bigint not null references projects (id) on delete cascade,
    tag text not null,
    name text,                          -- null: as the tag
    description text,
    commit_snapshot jsonb,              -- the commit of the tag when it was made
    author_id bigint references users (id) on delete set null,
    released_at timestamptz not null,
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create unique index releases_of_tag on releases (project_id, tag);
create index releases_of_project on releases (project_id, released_at, id);
create index releases_by_time on releases (released_at, id);
create index releases_by_author on releases (author_id);

-- What can be downloaded with a release, wherever it lies.
create table release_links (
    id identity,
    release_id bigint not null references releases (id) on delete cascade,
    name text not null,
    url text not null,
    filepath text,                      -- below the release's own address: /dir/file
    link_type text not null,            -- other, runbook, image, package
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create unique index release_links_by_name on release_links (release_id, name);
create unique index release_links_by_url on release_links (release_id, url);
create unique index release_links_by_filepath on release_links (release_id, filepath);

create table release_milestones (
    release_id bigint not null references releases (id) on delete cascade,
    milestone_id bigint not null references milestones (id) on delete cascade,
    primary key (release_id, milestone_id)
);
create index release_milestones_by_milestone on release_milestones (milestone_id);

-- What a release was when it came out, as it is served.
create table release_evidences (
    id identity,
    release_id bigint not null references releases (id) on delete cascade,
    summary text not null,              -- JSON
    sha text not null,                  -- SHA-256 of its bytes
    collected_at timestamptz not null
);
create index release_evidences_of_release on release_evidences (release_id, id);
