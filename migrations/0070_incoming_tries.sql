-- Mails of a mailbox that are being read, and those over which the server failed:
-- when each is tried again, and which were set aside for a person to look at.
create table incoming_tries (
    id identity,
    mailbox text not null,              -- which it is, by a digest
    uid bigint not null,                -- of the mail in it
    tries bigint not null,
    next_at timestamptz not null,
    error text,
    set_aside_at timestamptz,
    created_at timestamptz not null
);
create unique index incoming_tries_mail on incoming_tries (mailbox, uid);
create index incoming_tries_by_age on incoming_tries (created_at);
create index incoming_tries_set_aside on incoming_tries (set_aside_at);
