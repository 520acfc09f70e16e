-- Programs that act for users (RFC 6749 «clients»).
create table applications (
    id identity,
    uid text not null,                  -- client_id
    name text not null,
    redirect_uris text not null,        -- one a line
    scopes text not null,               -- space-separated
    confidential boolean not null,
    trusted boolean not null default false,
    dynamic boolean not null default false,
    password_grant boolean not null default true,
    owner_type text,                    -- User, Group; null: the instance
    owner_id bigint,
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create unique index applications_uid on applications (uid);
create index applications_by_owner on applications (owner_type, owner_id, id);

-- During a renewal an application has two.
create table application_secrets (
    id identity,
    application_id bigint not null references applications (id) on delete cascade,
    digest bytea not null,
    expires_at timestamptz,
    last_used_at timestamptz,
    created_at timestamptz not null
);
create index application_secrets_by_application on application_secrets (application_id);

-- What a user once allowed: all tokens that follow from one consent, by
-- rotation, are one family and end together.
create table oauth_families (
    id identity,
    application_id bigint references applications (id) on delete cascade,
    user_id bigint not null references users (id) on delete cascade,
    grant_type text not null,           -- authorization_code, password, device_code
    scopes text not null,
    redirect_uri text,
    nonce text,
    authenticated_at timestamptz,
    ip_address text,
    user_agent text,
    last_used_at timestamptz,
    last_used_ip text,
    revoked_at timestamptz,
    created_at timestamptz not null
);
create index oauth_families_by_user on oauth_families (user_id, id);
create index oauth_families_by_application on oauth_families (application_id, user_id);

-- An access token and the refresh token given with it.
create table oauth_tokens (
    id identity,
    family_id bigint not null references oauth_families (id) on delete cascade,
    access_digest bytea not null,
    refresh_digest bytea not null,
    scopes text not null,
    expires_at timestamptz not null,
    refresh_expires_at timestamptz,
    rotated_at timestamptz,             -- refreshed then: both are dead
    created_at timestamptz not null
);
create unique index oauth_tokens_access on oauth_tokens (access_digest);
create unique index oauth_tokens_refresh on oauth_tokens (refresh_digest);
create index oauth_tokens_by_family on oauth_tokens (family_id);

-- Authorization codes.
create table oauth_codes (
    id identity,
    application_id bigint not null references applications (id) on delete cascade,
    user_id bigint not null references users (id) on delete cascade,
    digest bytea not null,
    redirect_uri text not null,
    scopes text not null,
    challenge text,
    nonce text,
    authenticated_at timestamptz not null,
    ip_address text,
    user_agent text,
    expires_at timestamptz not null,
    used_at timestamptz,
    revoked boolean not null default false,
    family_id bigint references oauth_families (id) on delete set null,
    created_at timestamptz not null
);
create unique index oauth_codes_digest on oauth_codes (digest);
create index oauth_codes_by_user on oauth_codes (user_id);
create index oauth_codes_by_application on oauth_codes (application_id, user_id);
create index oauth_codes_by_family on oauth_codes (family_id);
create index oauth_codes_by_expiry on oauth_codes (expires_at);

-- RFC 8628. The user code is erased once it was used.
create table device_grants (
    id identity,
    application_id bigint not null references applications (id) on delete cascade,
    user_id bigint references users (id) on delete cascade,
    digest bytea not null,
    user_code text,
    scopes text not null,
    state text not null,                -- pending, approved, denied, done
    poll_seconds bigint not null,       -- least time between two polls
    polled_at timestamptz,
    authenticated_at timestamptz,
    ip_address text,
    user_agent text,
    expires_at timestamptz not null,
    created_at timestamptz not null
);
create unique index device_grants_digest on device_grants (digest);
create unique index device_grants_user_code on device_grants (user_code);
create index device_grants_by_application on device_grants (application_id);
create index device_grants_by_user on device_grants (user_id);
create index device_grants_by_expiry on device_grants (expires_at);

-- Keys that sign ID tokens; a new one signs, the old one stays published
-- until everything it signed has ended.
create table signing_keys (
    id identity,
    kid text not null,
    sealed text not null,               -- PKCS #8, sealed
    public_n text not null,
    public_e text not null,
    retired_at timestamptz,
    created_at timestamptz not null
);
create unique index signing_keys_kid on signing_keys (kid);
