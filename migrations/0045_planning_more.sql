-- The release in which an error came back after it was resolved.
alter table error_tracking_errors add column regressed_release text;
