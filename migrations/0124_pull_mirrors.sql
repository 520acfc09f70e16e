-- Repositories elsewhere that the code of projects follows, or came from once.
create table pull_mirrors (
    id identity,
    project_id bigint not null references projects (id) on delete cascade,
    user_id bigint references users (id) on delete set null,    -- as whom it acts
    enabled boolean not null,
    is_import boolean not null,         -- what comes first is told to nobody
    url text not null,                  -- without what proves who asks
    shown_url text not null,            -- as it is shown, that masked
    sealed_credentials text,            -- user:password
    auth_method text not null,          -- password, ssh_public_key
    sealed_key text,
    public_key text,
    host_keys jsonb not null,           -- lines of known keys: type and key
    trigger_builds boolean not null,
    only_protected_branches boolean,    -- null: nobody said
    mirror_branch_regex text,
    overwrites_diverged_branches boolean not null,
    update_status text not null,        -- none, scheduled, started, finished, failed
    last_update_at timestamptz,
    last_update_started_at timestamptz,
    last_successful_update_at timestamptz,
    last_error text,
    failures bigint not null,           -- in a row
    next_update_at timestamptz,         -- null: not of itself
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create unique index pull_mirrors_of_project on pull_mirrors (project_id);
create index pull_mirrors_by_user on pull_mirrors (user_id);
create index pull_mirrors_due on pull_mirrors (next_update_at);

-- How far what a project begins with is that comes from elsewhere.
alter table projects add column import_status text not null default 'none';
alter table projects add column import_error text;

-- Whether projects may follow others.
alter table projects add column pull_mirror_enabled boolean not null default true;
alter table namespaces add column pull_mirror_enabled boolean not null default true;
