-- Public keys: those of users, and those that open projects (deploy keys).
create table ssh_keys (
    id identity,
    user_id bigint references users (id) on delete cascade,     -- none: a deploy key
    created_by_id bigint references users (id) on delete set null,
    is_public boolean not null,         -- a deploy key that every project may take
    title text not null,
    key text not null,                  -- type and base64, without a comment
    comment text not null,
    fingerprint text not null,          -- MD5: sixteen pairs between colons
    fingerprint_sha256 text not null,   -- base64, without a prefix
    usage_type text not null,           -- auth, signing, auth_and_signing
    expires_at timestamptz,
    last_used_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create unique index ssh_keys_fingerprint_sha256 on ssh_keys (fingerprint_sha256);
create index ssh_keys_by_fingerprint on ssh_keys (fingerprint);
create index ssh_keys_by_user on ssh_keys (user_id, id);
create index ssh_keys_by_creator on ssh_keys (created_by_id);

create table deploy_key_projects (
    id identity,
    key_id bigint not null references ssh_keys (id) on delete cascade,
    project_id bigint not null references projects (id) on delete cascade,
    can_push boolean not null,
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create unique index deploy_key_projects_once on deploy_key_projects (project_id, key_id);
create index deploy_key_projects_by_key on deploy_key_projects (key_id);

-- What servers prove by that they are the same; all of them share it.
create table ssh_host_keys (
    id identity,
    algorithm text not null,
    sealed text not null,               -- the private half
    created_at timestamptz not null
);
create unique index ssh_host_keys_algorithm on ssh_host_keys (algorithm);
