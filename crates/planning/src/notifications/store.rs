//! Settings, and counts of mails.

use super::model::{Digest, Level, Switches};
use crate::access::Parent;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::http::Paging;
use kernel::time::{Date, date_of};
use spaces::access::{Purpose, visible_groups, visible_projects};
use spaces::activity::Where;
use spaces::model::Project;
use std::collections::BTreeMap;
use store::{Fragment, FromRow, Json, Tx, sql};

kernel::choices! {
    /// What a setting is of.
    pub enum SourceType { Global = "Global", Group = "Group", Project = "Project" }
}

/// What a setting is of: its kind and id; 0 of everything.
pub type SettingSource = (SourceType, i64);

pub const EVERYTHING: SettingSource = (SourceType::Global, 0);

/// The same of where something is.
pub fn source_of(place: Where) -> SettingSource {
    match place {
        Where::Project(id) => (SourceType::Project, id),
        Where::Group(id) => (SourceType::Group, id),
    }
}

/// What somebody set.
#[derive(Debug, Clone, FromRow)]
#[columns("notification_settings")]
pub struct Setting {
    pub user_id: i64,
    pub source_type: SourceType,
    pub source_id: i64,
    pub level: Level,
    pub email: Option<String>,
    pub events: Json<BTreeMap<String, bool>>,
    pub own_activity: bool,
    /// None is as above.
    pub digest: Option<Digest>,
}

impl Setting {
    /// What holds for who has set nothing.
    pub fn unset(user_id: i64, (source_type, source_id): SettingSource) -> Setting {
        let level = match source_type {
            SourceType::Global => Level::Participating,
            SourceType::Group | SourceType::Project => Level::Global,
        };
        Setting {
            user_id,
            source_type,
            source_id,
            level,
            email: None,
            events: Json(BTreeMap::new()),
            own_activity: false,
            digest: None,
        }
    }

    pub fn switches(&self) -> Switches {
        Switches(self.events.0.clone())
    }
}

const SETTINGS: &str = store::concat!("select ", Setting::COLUMNS, " from notification_settings ");

pub fn find(tx: &mut Tx<'_>, user_id: i64, source: SettingSource) -> Result<Setting> {
    let found = tx.optional(
        sql!(SETTINGS, "where user_id = $1 and source_type = $2 and source_id = $3"),
        (user_id, source.0, source.1),
    )?;
    Ok(found.unwrap_or_else(|| Setting::unset(user_id, source)))
}

pub fn write(tx: &mut Tx<'_>, setting: &Setting) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!(
            "insert into notification_settings (user_id, source_type, source_id, level, email,
                events, own_activity, digest, updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
             on conflict (user_id, source_type, source_id) do update
                set level = excluded.level, email = excluded.email, events = excluded.events,
                    own_activity = excluded.own_activity, digest = excluded.digest,
                    updated_at = excluded.updated_at"
        ),
        (
            setting.user_id,
            setting.source_type,
            setting.source_id,
            setting.level,
            setting.email.as_deref(),
            Json(setting.events.0.clone()),
            setting.own_activity,
            setting.digest,
            now,
        ),
    )?;
    Ok(())
}

impl From<&Parent> for Sources {
    fn from(place: &Parent) -> Sources {
        Sources { project_id: place.project_id(), groups: place.groups() }
    }
}

impl From<&Project> for Sources {
    fn from(project: &Project) -> Sources {
        Sources { project_id: Some(project.id), groups: project.ancestors() }
    }
}

/// A project, if it is one, and groups from the top down, whose settings hold there.
#[derive(Debug, Clone)]
pub struct Sources {
    pub project_id: Option<i64>,
    pub groups: Vec<i64>,
}

/// What these users set for a project, for groups and for everything.
pub fn of_users(tx: &mut Tx<'_>, users: &[i64], sources: &Sources) -> Result<Vec<Setting>> {
    Ok(tx.all(
        sql!(
            SETTINGS,
            "where user_id in_list($1) and (source_type = 'Global'
                or (source_type = 'Project' and source_id = $2)
                or (source_type = 'Group' and source_id in_list($3)))"
        ),
        (users, sources.project_id, &sources.groups),
    )?)
}

/// Who wants to be told of more than what they take part in: set so for a project or
/// one of these groups, or for everything by a member.
pub fn eager(tx: &mut Tx<'_>, sources: &Sources, today: &str, most: i64) -> Result<Vec<i64>> {
    Ok(tx.all(
        sql!(
            "select distinct user_id from notification_settings
             where level in ('watch', 'custom') and (
                (source_type = 'Project' and source_id = $1)
                or (source_type = 'Group' and source_id in_list($2))
                or (source_type = 'Global' and user_id in (select m.user_id from members m
                    where m.requested_at is null and (m.expires_at is null or m.expires_at > $3)
                        and ((m.source_type = 'Project' and m.source_id = $1)
                            or (m.source_type = 'Group' and m.source_id in_list($2))))))
             order by user_id limit $4"
        ),
        (sources.project_id, &sources.groups, today, most),
    )?)
}

/// Counts a mail of a project or group on a day; how many that makes.
pub fn count_mail(tx: &mut Tx<'_>, user_id: i64, of: SettingSource, day: Date) -> Result<i64> {
    Ok(tx.one(
        sql!(
            "insert into notification_counts (user_id, source_type, source_id, day, mails)
             values ($1, $2, $3, $4, 1)
             on conflict (user_id, source_type, source_id, day) do update
                set mails = notification_counts.mails + 1
             returning mails"
        ),
        (user_id, of.0, of.1, day),
    )?)
}

/// How many mails somebody got of a project or group on a day.
pub fn mails_on(tx: &mut Tx<'_>, user_id: i64, of: SettingSource, day: Date) -> Result<i64> {
    let mails: Option<i64> = tx.optional(
        sql!(
            "select mails from notification_counts
             where user_id = $1 and source_type = $2 and source_id = $3 and day = $4"
        ),
        (user_id, of.0, of.1, day),
    )?;
    Ok(mails.unwrap_or(0))
}

/// Forgets counts of earlier days.
pub fn forget_counts(tx: &mut Tx<'_>, before: Date) -> Result<()> {
    tx.execute(sql!("delete from notification_counts where day < $1"), (before,))?;
    tx.execute(sql!("delete from notification_days where day < $1"), (before,))?;
    Ok(())
}

/// Forgets what people set for a project or group that is gone.
pub fn forget_source(tx: &mut Tx<'_>, source: SettingSource) -> Result<()> {
    tx.execute(
        sql!("delete from notification_settings where source_type = $1 and source_id = $2"),
        source,
    )?;
    Ok(())
}

/// Notes that what is due is told of on a day; whether nobody had begun it.
pub fn begin_day(tx: &mut Tx<'_>, day: Date) -> Result<bool> {
    let began = tx.execute(
        sql!("insert into notification_days (day) values ($1) on conflict do nothing"),
        (day,),
    )?;
    Ok(began > 0)
}

/// Open issues that are due on a day, behind one, by id.
pub fn issues_due(tx: &mut Tx<'_>, day: &str, after: i64, most: i64) -> Result<Vec<i64>> {
    Ok(tx.all(
        sql!(
            "select id from issues where state = 'opened' and due_on = $1 and id > $2
             order by id limit $3"
        ),
        (day, after, most),
    )?)
}

/// A project or group, and what somebody set for it.
#[derive(Debug, Clone, FromRow)]
pub struct PlaceRow {
    pub source_type: SourceType,
    pub name: String,
    pub full_path: String,
    pub level: Level,
    pub digest: Option<Digest>,
}

impl PlaceRow {
    /// Its address.
    pub fn url(&self) -> String {
        match self.source_type {
            SourceType::Group => format!("/groups/{}", self.full_path),
            SourceType::Global | SourceType::Project => format!("/{}", self.full_path),
        }
    }

    /// Its level in a word.
    pub fn level_label(&self) -> &'static str {
        match self.level {
            Level::Global => "as above",
            level => level.as_str(),
        }
    }

    /// Tells its form from those of other places.
    pub fn form_id(&self) -> String {
        format!("{}-{}", self.source_type, self.full_path.replace('/', "-"))
    }
}

/// A page of where somebody is a direct member.
pub fn places_of(tx: &mut Tx<'_>, user_id: i64, paging: &Paging) -> Result<Vec<PlaceRow>> {
    let today = date_of(tx.now());
    Ok(tx.all(
        sql!(
            "select m.source_type, coalesce(p.name, n.name, '') as name,
                coalesce(p.full_path, n.full_path, '') as full_path,
                coalesce(s.level, 'global') as level, s.digest
             from members m
             left join projects p on m.source_type = 'Project' and p.id = m.source_id
             left join namespaces n on m.source_type = 'Group' and n.id = m.source_id
             left join notification_settings s on s.user_id = m.user_id
                and s.source_type = m.source_type and s.source_id = m.source_id
             where m.user_id = $1 and m.requested_at is null
                and (m.expires_at is null or m.expires_at > $2)
             order by 3, m.id limit $3 offset $4"
        ),
        (user_id, today, paging.per_page, paging.offset()),
    )?)
}

/// Most places that somebody set something for without being a member.
const OTHERS: i64 = 50;

/// Where the viewer set something, as far as they see it and are no direct member.
pub fn other_places(tx: &mut Tx<'_>, viewer: &Viewer) -> Result<Vec<PlaceRow>> {
    let user_id = viewer.user_id().unwrap_or_default();
    let mut found = Vec::new();
    let projects = visible_projects(tx, viewer, Purpose::Read);
    let groups = visible_groups(tx, viewer);
    for (table, kind, shown) in [
        ("namespaces", SourceType::Group, groups),
        ("projects", SourceType::Project, projects),
    ] {
        let mut query = Fragment::new("select s.source_type, ");
        query
            .raw(&format!("{table}.name, {table}.full_path, s.level, s.digest from {table}"))
            .raw(" join notification_settings s on s.source_id = ")
            .raw(table)
            .push(".id and s.user_id = ", user_id)
            .push(" and s.source_type = ", kind)
            .raw(" where (s.level <> 'global' or s.digest is not null) and not exists")
            .raw(" (select 1 from members m where m.user_id = s.user_id")
            .raw(" and m.source_type = s.source_type and m.source_id = s.source_id")
            .raw(" and m.requested_at is null) and ")
            .append(shown)
            .raw(&format!(" order by {table}.full_path_folded"))
            .push(" limit ", OTHERS);
        found.extend(tx.query::<PlaceRow>(query)?);
    }
    Ok(found)
}
