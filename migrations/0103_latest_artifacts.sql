-- When a file goes of the latest pipeline of its ref that succeeded, once a newer one has.
alter table ci_artifacts add column later_expires_at timestamptz;
