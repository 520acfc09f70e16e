-- A part of a file that clients fetch without the file, such as a wheel's
-- METADATA.
create table package_file_extracts (
    file_id bigint primary key references package_files (id) on delete cascade,
    content bytea not null
);
