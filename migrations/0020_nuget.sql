-- Symbol files are in the channel of their signature, and asked for by it;
-- charts are read by channel, too.
create index package_files_by_channel on package_files (channel, id) where channel is not null;
