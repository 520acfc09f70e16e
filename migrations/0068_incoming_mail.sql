-- Mails that came in and were acted on, so that none acts twice, and nobody too often.
create table incoming_mails (
    digest bytea primary key,           -- of the key and the mail's own id
    user_id bigint not null references users (id) on delete cascade,
    created_at timestamptz not null
);
create index incoming_mails_of_user on incoming_mails (user_id, created_at);
create index incoming_mails_by_time on incoming_mails (created_at);
