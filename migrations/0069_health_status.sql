-- How people say that an issue or an epic goes: on_track, needs_attention, at_risk.
alter table issues add column health_status text;
alter table epics add column health_status text;
