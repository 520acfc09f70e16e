-- Security keys as second factors (WebAuthn Level 3).
create table webauthn_keys (
    id identity,
    user_id bigint not null references users (id) on delete cascade,
    name text not null,
    credential_id bytea not null,       -- chosen by the key
    credential jsonb not null,          -- its public key and counter
    user_handle bytea not null,         -- the account as all its keys know it
    last_used_at timestamptz,
    created_at timestamptz not null
);
create unique index webauthn_keys_credential_id on webauthn_keys (credential_id);
create index webauthn_keys_by_user on webauthn_keys (user_id, id);

-- What a key was asked and has not answered yet: at most one question for
-- each session and each half-done sign-in.
create table webauthn_ceremonies (
    id identity,
    user_id bigint not null references users (id) on delete cascade,
    session_id bigint references sessions (id) on delete cascade,
    step_id bigint references sign_in_steps (id) on delete cascade,
    state jsonb not null,
    expires_at timestamptz not null
);
create unique index webauthn_ceremonies_session on webauthn_ceremonies (session_id);
create unique index webauthn_ceremonies_step on webauthn_ceremonies (step_id);
create index webauthn_ceremonies_by_user on webauthn_ceremonies (user_id);
create index webauthn_ceremonies_by_expiry on webauthn_ceremonies (expires_at);
