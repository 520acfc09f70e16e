-- Which of a project's channels a file is in; only Helm has them.
alter table package_files add column channel text;
