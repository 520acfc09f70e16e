-- What programs elsewhere say of commits are jobs of pipelines, of a stage after all others.
alter table ci_jobs add column target_url text;    -- where there is more of an external one
alter table ci_jobs add column description text;   -- what is said of an external one
drop index ci_jobs_latest;
create unique index ci_jobs_latest on ci_jobs (pipeline_id, name)
    where not retried and kind <> 'external';
create unique index ci_jobs_latest_external on ci_jobs (pipeline_id, name)
    where not retried and kind = 'external';

-- A pipeline for what was said of each commit of a ref.
insert into ci_pipelines (project_id, iid, source, status, ref, tag, sha, before_sha, protected,
    config_source, auto_cancel, depth, created_at, updated_at, started_at, finished_at)
select s.project_id,
    coalesce((select n.latest from ci_pipeline_numbers n where n.project_id = s.project_id), 0)
        + row_number() over (partition by s.project_id order by min(s.id)),
    'external',
    case
        when count(*) filter (where s.is_newest and s.status = 'running') > 0 then 'running'
        when count(*) filter (where s.is_newest and s.status = 'pending') > 0 then 'pending'
        when count(*) filter (where s.is_newest and s.status = 'failed') > 0 then 'failed'
        when count(*) filter (where s.is_newest and s.status = 'canceled') > 0 then 'canceled'
        when count(*) filter (where s.is_newest and s.status = 'success') > 0 then 'success'
        else 'skipped'
    end,
    s.ref, false, s.sha, '0000000000000000000000000000000000000000', false,
    'unknown_source', '{}', 0, min(s.created_at), max(coalesce(s.finished_at, s.created_at)),
    min(s.started_at), max(s.finished_at)
from commit_statuses s group by s.project_id, s.sha, s.ref;

insert into ci_pipeline_numbers (project_id, latest)
select project_id, max(iid) from ci_pipelines where true group by project_id
on conflict (project_id) do update set latest = excluded.latest;

insert into ci_jobs (project_id, pipeline_id, kind, name, stage, stage_index, position, status,
    run_when, allow_failure, retried, attempt, needs_mode, protected, interruptible, user_id,
    tags, queue_key, coverage, definition, created_at, updated_at, started_at, finished_at,
    target_url, description)
select s.project_id, p.id, 'external', s.name, 'external', 1000000,
    row_number() over (partition by p.id order by s.id), s.status,
    'on_success', false, not s.is_newest, 0, false, false, false, s.author_id,
    '[]', 'open', s.coverage,
    '{"group":"external","work":{"script":[]},"variables":[],"predefined":[]}',
    s.created_at, coalesce(s.finished_at, s.created_at), s.started_at, s.finished_at,
    s.target_url, s.description
from commit_statuses s
join ci_pipelines p on p.project_id = s.project_id and p.sha = s.sha and p.ref = s.ref
    and p.source = 'external';

drop table commit_statuses;
