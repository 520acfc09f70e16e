-- The log of a job, in packed pieces: how long one is cannot be seen from its bytes any
-- more, and what is asked of many pieces stands before them.
create table ci_trace_pieces (
    job_id bigint not null references ci_jobs (id) on delete cascade,
    begins bigint not null,             -- the first at 0
    size bigint not null,               -- of the log, unpacked
    lines bigint not null,              -- that end in it
    is_packed boolean not null,
    bytes bytea not null
);
create unique index ci_trace_pieces_once on ci_trace_pieces (job_id, begins);
insert into ci_trace_pieces (job_id, begins, size, lines, is_packed, bytes)
    select job_id, begins, length(bytes), lines, false, bytes from ci_trace_chunks;
drop table ci_trace_chunks;
