-- The merge request that a pipeline is of: the head of its source, which is another commit
-- than that of the pipeline where the branches were merged for it, and what its jobs are
-- told of merge requests.
alter table ci_pipelines add column merge_request_id bigint references merge_requests (id) on delete set null;
alter table ci_pipelines add column source_sha text;
alter table ci_pipelines add column told jsonb;
create index ci_pipelines_by_merge_request on ci_pipelines (merge_request_id, id)
    where merge_request_id is not null;

-- Pipelines of merge requests run for the branches as they would be merged.
alter table merge_request_settings add column merged_results boolean not null default false;
