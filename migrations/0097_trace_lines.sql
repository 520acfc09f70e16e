-- The logs of jobs are shown in parts: how many lines stand before one is a sum.
alter table ci_trace_chunks add column lines bigint not null default 0;
