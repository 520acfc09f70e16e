-- Second factors: time-based codes (RFC 6238). A row exists once a right code
-- proved that the app has the secret.
create table totp (
    user_id bigint primary key references users (id) on delete cascade,
    sealed text not null,               -- the secret, sealed
    last_step bigint not null,          -- of the last code taken: none is taken twice
    confirmed_at timestamptz not null
);

-- Codes on paper, each of which works once in place of another factor.
create table recovery_codes (
    id identity,
    user_id bigint not null references users (id) on delete cascade,
    digest bytea not null,
    used_at timestamptz,
    created_at timestamptz not null
);
create unique index recovery_codes_digest on recovery_codes (user_id, digest);

-- Sign-ins whose password was right and whose second factor is awaited. The
-- cookie holds a random token, the row its digest.
create table sign_in_steps (
    id identity,
    digest bytea not null,
    user_id bigint not null references users (id) on delete cascade,
    remember boolean not null,
    return_to text not null,
    tries bigint not null default 0,
    expires_at timestamptz not null,
    created_at timestamptz not null
);
create unique index sign_in_steps_digest on sign_in_steps (digest);
create index sign_in_steps_by_user on sign_in_steps (user_id);
create index sign_in_steps_by_expiry on sign_in_steps (expires_at);

-- Since when a user without a second factor is asked to set one up.
alter table users add column two_factor_asked_at timestamptz;

-- When the user last proved to be themselves; sign-in counts.
alter table sessions add column proved_at timestamptz;

-- Hours a group's members have to set up a second factor.
alter table namespaces add column two_factor_grace_period bigint not null default 48;
create index namespaces_by_two_factor on namespaces (id) where require_two_factor;
