-- Comments on all things are searched, not on issues alone: the job writes their index anew.
delete from search_fills where name = 'search_notes';
