-- Tokens with which programs elsewhere begin pipelines.
create table ci_triggers (
    id identity,
    project_id bigint not null references projects (id) on delete cascade,
    owner_id bigint not null references users (id) on delete cascade,   -- whose rights it has
    description text not null,
    token_digest bytea not null,
    short_token text not null,          -- the beginning of the token, which tells them apart
    expires_at timestamptz,
    last_used timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create unique index ci_triggers_token on ci_triggers (token_digest);
create index ci_triggers_by_project on ci_triggers (project_id, id);
create index ci_triggers_by_owner on ci_triggers (owner_id);

-- The trigger that began a pipeline.
alter table ci_pipelines add column trigger_id bigint references ci_triggers (id)
    on delete set null;
create index ci_pipelines_by_trigger on ci_pipelines (trigger_id);
