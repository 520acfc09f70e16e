-- What was taken for spam. The id of a row that may be tried again opens the
-- same action of the same caller once, with a solved challenge.
create table spam_logs (
    id identity,
    user_id bigint references users (id) on delete cascade,
    actor text not null,                -- user:ID, or form:DIGEST of a stranger
    action text not null,               -- sign_up, create_issue…
    target_type text not null,
    title text not null,                -- cut
    description text not null,          -- cut
    fingerprint bytea not null,         -- of the whole text
    ip_address text,
    user_agent text,
    via_api boolean not null,
    verdict text not null,              -- challenge, deny, block_user
    reason text not null,
    captcha_verified boolean not null default false,
    used_at timestamptz,
    created_at timestamptz not null
);
create index spam_logs_by_user on spam_logs (user_id);
create index spam_logs_by_created_at on spam_logs (created_at);

-- Where a user has signed in from: a digest of the kind of browser and of the
-- network.
create table sign_in_places (
    id identity,
    user_id bigint not null references users (id) on delete cascade,
    digest bytea not null,
    last_used_at timestamptz not null,
    created_at timestamptz not null
);
create unique index sign_in_places_digest on sign_in_places (user_id, digest);
create index sign_in_places_by_last_used_at on sign_in_places (last_used_at);
