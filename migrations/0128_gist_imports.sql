-- Gists that come from elsewhere to a user: one row for each user, the last time.
create table gist_imports (
    id identity,
    user_id bigint not null references users (id) on delete cascade,
    base_url text not null,             -- of the interface there
    host text not null,                 -- of the server
    sealed_token text,                  -- erased at the end
    leaf jsonb,                         -- where the list goes on, none at its beginning
    done bigint not null,               -- gists of that page that were looked at
    attempts bigint not null,           -- in a row, at the gist where it stands
    failed jsonb not null,              -- titles with reasons
    created_at timestamptz not null,
    updated_at timestamptz not null,
    ended_at timestamptz
);
create unique index gist_imports_of_user on gist_imports (user_id);

-- What is here already: a gist comes once, while its snippet is there.
create table imported_gists (
    id identity,
    user_id bigint not null references users (id) on delete cascade,
    host text not null,
    gist_id text not null,
    snippet_id bigint not null references snippets (id) on delete cascade
);
create unique index imported_gists_once on imported_gists (user_id, host, gist_id);
create index imported_gists_of_snippet on imported_gists (snippet_id);
