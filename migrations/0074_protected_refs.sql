-- Protected branches and tags: names, or patterns of names, and who may do what to them.
create table protected_refs (
    id identity,
    kind text not null,                 -- branch, tag
    project_id bigint references projects (id) on delete cascade,
    group_id bigint references namespaces (id) on delete cascade,
    name text not null,                 -- * stands for any text
    allow_force_push boolean not null,
    code_owner_approval_required boolean not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    check ((project_id is null) <> (group_id is null))
);
create unique index protected_refs_of_project on protected_refs (project_id, kind, name);
create unique index protected_refs_of_group on protected_refs (group_id, kind, name);

create table protected_ref_levels (
    id identity,
    protected_ref_id bigint not null references protected_refs (id) on delete cascade,
    purpose text not null,              -- push, merge, unprotect, create
    access_level bigint,                -- a role, unless it is one of the following
    user_id bigint references users (id) on delete cascade,
    group_id bigint references namespaces (id) on delete cascade,
    deploy_key_id bigint
);
create index protected_ref_levels_by_ref on protected_ref_levels (protected_ref_id);
create index protected_ref_levels_by_user on protected_ref_levels (user_id);
create index protected_ref_levels_by_group on protected_ref_levels (group_id);
create index protected_ref_levels_by_key on protected_ref_levels (deploy_key_id);

-- Who may push to the default branch of new projects; null: as above it.
alter table namespaces add column branch_protection jsonb;

-- Pushes: what became of the refs, and issues that commits close.
alter table activity_events add column push_data jsonb;
alter table projects add column autoclose_referenced_issues boolean not null default true;

-- Notes of the program that name a commit: only who reads the code of this project
-- sees them.
alter table notes add column names_code_of_id bigint references projects (id) on delete cascade;
create index notes_by_named_code on notes (names_code_of_id);
