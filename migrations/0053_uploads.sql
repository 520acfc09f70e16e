-- Files that people put into texts. The address of one holds its secret: where
-- a project does not ask who looks, whoever knows it sees pictures.
create table uploads (
    id identity,
    project_id bigint references projects (id) on delete cascade,
    group_id bigint references namespaces (id) on delete cascade,
    secret text not null,               -- 32 hexadecimal digits
    name text not null,
    size bigint not null,
    blob_key text not null references blobs (key) on delete restrict,
    uploaded_by_id bigint references users (id) on delete set null,
    created_at timestamptz not null,
    check ((project_id is null) <> (group_id is null))
);
create unique index uploads_of_project on uploads (project_id, secret);
create unique index uploads_of_group on uploads (group_id, secret);
create index uploads_by_blob on uploads (blob_key);
create index uploads_by_uploader on uploads (uploaded_by_id);

alter table projects add column enforce_auth_checks_on_uploads boolean not null default true;
