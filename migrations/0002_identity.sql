create table users (
    id identity,
    username text not null,
    username_folded text not null,
    name text not null,
    name_folded text not null,
    email text not null,
    email_folded text not null,
    kind text not null,                 -- human, project_bot, group_bot, ghost, leaving
    state text not null,                -- active, blocked, blocked_pending_approval, ldap_blocked, deactivated, banned
    is_admin boolean not null default false,
    is_external boolean not null default false,
    is_private boolean,
    password_hash text,
    password_expired boolean not null default false,
    password_automatically_set boolean not null default false,
    password_changed_at timestamptz,
    failed_attempts bigint not null default 0,
    locked_until timestamptz,
    confirmed_at timestamptz,
    public_email text,
    commit_email text,
    bio text,
    location text,
    website_url text,
    organization text,
    job_title text,
    pronouns text,
    linkedin text,
    twitter text,
    discord text,
    provider_a text,
    note text,
    avatar_key text,
    status_emoji text,
    status_message text,
    status_availability text,           -- not_set, busy
    status_clear_at timestamptz,
    theme_id bigint not null default 1,
    color_scheme_id bigint not null default 1,
    projects_limit bigint not null default 100000,
    can_create_group boolean not null default true,
    created_by_id bigint references users (id) on delete set null,
    current_sign_in_at timestamptz,
    last_sign_in_at timestamptz,
    current_sign_in_ip text,
    last_sign_in_ip text,
    sign_in_count bigint not null default 0,
    last_activity_on text,
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create unique index users_username on users (username_folded);
create unique index users_email on users (email_folded);
create index users_by_created_by on users (created_by_id);
create index users_by_name on users (name_folded, id);
create index users_by_created_at on users (created_at, id);
create index users_by_updated_at on users (updated_at, id);

-- Browser sessions; the cookie holds a random token, the row its digest.
create table sessions (
    id identity,
    digest bytea not null,
    user_id bigint not null references users (id) on delete cascade,
    ip_address text,
    user_agent text,
    remembered boolean not null default false,
    last_used_at timestamptz not null,
    expires_at timestamptz not null,
    created_at timestamptz not null
);
create unique index sessions_digest on sessions (digest);
create index sessions_by_user on sessions (user_id);

-- Personal, project, group and impersonation tokens. For project and group
-- tokens, user_id is the bot and source_type/source_id what it may enter.
create table access_tokens (
    id identity,
    kind text not null,                 -- personal, project, group, impersonation
    user_id bigint not null references users (id) on delete cascade,
    source_type text,                   -- Project, Group
    source_id bigint,
    access_level bigint,
    name text not null,
    description text,
    digest bytea not null,
    scopes text not null,               -- space-separated
    family_id bigint,                   -- id of the first token of a rotation chain; null: itself
    revoked boolean not null default false,
    expires_at text,                    -- date, ends at 00:00 UTC of it
    last_used_at timestamptz,
    last_used_ips jsonb,
    expiry_told bigint,                 -- days before its end at which the owner was last told
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create unique index access_tokens_digest on access_tokens (digest);
create index access_tokens_by_user on access_tokens (user_id, id);
create index access_tokens_by_source on access_tokens (source_type, source_id, id);
create index access_tokens_by_family on access_tokens (family_id);
create index access_tokens_by_expires_at on access_tokens (expires_at);

-- Deploy tokens belong to spaces; their digests stand beside the others so
-- that one lookup resolves any credential. Written by the spaces room.
create table deploy_tokens (
    id identity,
    source_type text not null,          -- Project, Group
    source_id bigint not null,
    name text not null,
    username text not null,
    digest bytea not null,
    scopes text not null,
    revoked boolean not null default false,
    expires_at timestamptz,
    created_by_id bigint references users (id) on delete set null,
    created_at timestamptz not null
);
create unique index deploy_tokens_digest on deploy_tokens (digest);
create index deploy_tokens_by_source on deploy_tokens (source_type, source_id);
create index deploy_tokens_by_created_by on deploy_tokens (created_by_id);

create table follows (
    follower_id bigint not null references users (id) on delete cascade,
    followed_id bigint not null references users (id) on delete cascade,
    created_at timestamptz not null,
    primary key (follower_id, followed_id)
);
create index follows_by_followed on follows (followed_id);

-- Pictures, at most 200 KiB each; users.avatar_key names the present one.
create table user_avatars (
    user_id bigint primary key references users (id) on delete cascade,
    media_type text not null,
    bytes bytea not null
);

-- Further addresses beside users.email.
create table user_emails (
    id identity,
    user_id bigint not null references users (id) on delete cascade,
    email text not null,
    email_folded text not null,
    confirmed_at timestamptz,
    created_at timestamptz not null
);
create unique index user_emails_email on user_emails (email_folded);
create index user_emails_by_user on user_emails (user_id, id);

-- One-time links sent by mail; the link holds a random token, the row its
-- digest.
create table mail_links (
    id identity,
    digest bytea not null,
    user_id bigint not null references users (id) on delete cascade,
    purpose text not null,              -- password, unlock, confirm
    email_id bigint references user_emails (id) on delete cascade,
    expires_at timestamptz not null,
    created_at timestamptz not null
);
create unique index mail_links_digest on mail_links (digest);
create index mail_links_by_user on mail_links (user_id, purpose);
create index mail_links_by_email on mail_links (email_id);
