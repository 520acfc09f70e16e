-- What somebody chose for the pages they see: colours, room, calendars, clock.
alter table users add column page_theme text not null default 'system';      -- system, light, dark
alter table users add column page_density text not null default 'comfortable'; -- comfortable, compact
alter table users add column first_day_of_week text not null default 'monday'; -- monday, saturday, sunday
alter table users add column time_zone text;                                  -- IANA name; null for the browser's
