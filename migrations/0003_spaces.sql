-- Users' own namespaces and groups. full_path is kept whole for look-ups and
-- rewritten with all below it on rename and transfer.
create table namespaces (
    id identity,
    kind text not null,                 -- user, group
    parent_id bigint references namespaces (id) on delete restrict,
    owner_id bigint references users (id) on delete cascade,   -- of a user namespace
    name text not null,
    name_folded text not null,
    path text not null,
    full_path text not null,
    full_path_folded text not null,
    full_name text not null,
    -- ids from the root to itself, '/1/5/9/': ancestors by text, descendants by prefix
    lineage text not null,
    depth bigint not null,
    description text not null default '',
    visibility bigint not null,         -- 0 private, 10 internal, 20 public
    project_creation_level text not null default 'developer',   -- noone, maintainer, developer, administrator, owner
    subgroup_creation_level text not null default 'maintainer', -- owner, maintainer
    share_with_group_lock boolean not null default false,
    require_two_factor boolean not null default false,
    emails_enabled boolean not null default true,
    mentions_disabled boolean,
    lfs_enabled boolean not null default true,
    request_access_enabled boolean not null default true,
    default_branch text,
    package_settings jsonb,             -- duplicates and forwarding; null: defaults
    created_by_id bigint references users (id) on delete set null,
    deletion_scheduled_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create unique index namespaces_full_path on namespaces (full_path_folded);
create index namespaces_by_parent on namespaces (parent_id, name_folded, id);
create index namespaces_by_owner on namespaces (owner_id);
create index namespaces_by_lineage on namespaces (lineage);
create index namespaces_by_created_by on namespaces (created_by_id);
create index namespaces_by_name on namespaces (kind, name_folded, id);

create table projects (
    id identity,
    namespace_id bigint not null references namespaces (id) on delete restrict,
    name text not null,
    name_folded text not null,
    path text not null,
    path_folded text not null,
    full_path text not null,
    full_path_folded text not null,
    description text,
    description_folded text,
    visibility bigint not null,
    default_branch text,
    topics jsonb not null,
    creator_id bigint references users (id) on delete set null,
    archived boolean not null default false,
    star_count bigint not null default 0,
    forks_count bigint not null default 0,
    forked_from_id bigint references projects (id) on delete set null,
    merge_method text not null default 'merge',
    squash_option text not null default 'default_off',
    request_access_enabled boolean not null default true,
    packages_enabled boolean not null default true,
    features jsonb not null,            -- feature name to disabled, private, enabled, public
    avatar_key text,
    deletion_scheduled_at timestamptz,
    last_activity_at timestamptz not null,
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create unique index projects_full_path on projects (full_path_folded);
create index projects_by_namespace on projects (namespace_id, id);
create index projects_by_creator on projects (creator_id);
create index projects_by_visibility on projects (visibility, id);
create index projects_by_name on projects (name_folded, id);
create index projects_by_activity on projects (last_activity_at, id);
create index projects_by_created_at on projects (created_at, id);
create index projects_by_updated_at on projects (updated_at, id);
create index projects_by_forked_from on projects (forked_from_id);

create table members (
    id identity,
    source_type text not null,          -- Group (namespace id) or Project
    source_id bigint not null,
    user_id bigint not null references users (id) on delete cascade,
    access_level bigint not null,
    created_by_id bigint references users (id) on delete set null,
    expires_at text,
    requested_at timestamptz,           -- an access request, not yet a member
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create unique index members_once on members (source_type, source_id, user_id);
create index members_by_user on members (user_id, source_type, source_id);
create index members_by_created_by on members (created_by_id);

create table invitations (
    id identity,
    source_type text not null,
    source_id bigint not null,
    email text not null,
    email_folded text not null,
    access_level bigint not null,
    expires_at text,
    digest bytea not null,
    created_by_id bigint references users (id) on delete set null,
    created_at timestamptz not null
);
create unique index invitations_once on invitations (source_type, source_id, email_folded);
create unique index invitations_digest on invitations (digest);
create index invitations_by_created_by on invitations (created_by_id);

-- A group or project shared with another group.
create table shares (
    id identity,
    source_type text not null,          -- Group or Project: what is shared
    source_id bigint not null,
    group_id bigint not null references namespaces (id) on delete cascade, -- with whom
    access_level bigint not null,
    expires_at text,
    created_at timestamptz not null
);
create unique index shares_once on shares (source_type, source_id, group_id);
create index shares_by_group on shares (group_id);

-- Old full paths of projects, which redirect.
create table project_redirects (
    full_path_folded text primary key,
    project_id bigint not null references projects (id) on delete cascade,
    created_at timestamptz not null
);
create index project_redirects_by_project on project_redirects (project_id);

create table stars (
    project_id bigint not null references projects (id) on delete cascade,
    user_id bigint not null references users (id) on delete cascade,
    created_at timestamptz not null,
    primary key (project_id, user_id)
);
create index stars_by_user on stars (user_id);
