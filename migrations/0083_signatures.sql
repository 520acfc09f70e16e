-- Who signs commits and tags. GPG keys of users: the block that they pasted, and what is read out of it once.
create table gpg_keys (
    id identity,
    user_id bigint not null references users (id) on delete cascade,
    key text not null,
    fingerprint text not null,          -- capital hexadecimal digits, as all below
    revoked_at timestamptz,
    created_at timestamptz not null
);
create unique index gpg_keys_fingerprint on gpg_keys (fingerprint) where revoked_at is null;
create index gpg_keys_by_user on gpg_keys (user_id, id);

-- The primary key and the subkeys that sign.
create table gpg_key_parts (
    id identity,
    gpg_key_id bigint not null references gpg_keys (id) on delete cascade,
    keyid text not null,
    is_primary boolean not null
);
create index gpg_key_parts_by_keyid on gpg_key_parts (keyid);
create index gpg_key_parts_by_key on gpg_key_parts (gpg_key_id, id);

-- Whom the key names.
create table gpg_key_addresses (
    id identity,
    gpg_key_id bigint not null references gpg_keys (id) on delete cascade,
    name text not null,
    email text not null,
    email_folded text not null
);
create index gpg_key_addresses_by_key on gpg_key_addresses (gpg_key_id, id);

-- What this instance signs with; all of its servers share it.
create table instance_signing_keys (
    id identity,
    purpose text not null,              -- commits
    fingerprint_sha256 text not null,   -- base64, without a prefix
    sealed text not null,               -- the private half
    created_at timestamptz not null
);
create unique index instance_signing_keys_purpose on instance_signing_keys (purpose);
