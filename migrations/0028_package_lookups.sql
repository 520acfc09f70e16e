-- Nothing asks for files or packages by their state alone. With these indexes
-- at hand, asking for the newest file of a name walked all files there are.
drop index package_files_destroyed;
drop index packages_destroyed;
