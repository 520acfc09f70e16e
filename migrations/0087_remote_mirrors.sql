-- Repositories elsewhere that follow the code of a project.
create table remote_mirrors (
    id identity,
    project_id bigint not null references projects (id) on delete cascade,
    enabled boolean not null,
    url text not null,                  -- without what proves who pushes
    shown_url text not null,            -- as it is shown, that masked
    sealed_credentials text,            -- user:password
    auth_method text not null,          -- password, ssh_public_key
    sealed_key text,
    public_key text,
    host_keys jsonb not null,           -- lines of known keys: type and key
    only_protected_branches boolean not null,
    mirror_branch_regex text,
    keep_divergent_refs boolean not null,
    update_status text not null,        -- none, scheduled, started, finished, failed
    last_update_at timestamptz,
    last_update_started_at timestamptz,
    last_successful_update_at timestamptz,
    last_error text,
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create index remote_mirrors_by_project on remote_mirrors (project_id);
