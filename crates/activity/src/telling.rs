//! What somebody did in words, with where its parts lead.

use crate::entity::Targets;
use crate::kinds::Kind;
use crate::list::Event;
use identity::model::User;
use kernel::error::Result;
use planning::store::notes::Note;
use reviews::commits::model::DiscussedCommit;
use reviews::model::MergeRequest;
use spaces::activity::{Action, PushAction, PushData};
use spaces::store as space_rows;
use std::collections::{HashMap, HashSet};
use store::{Fragment, Json, Tx};

/// Letters of a comment that lists show.
const EXCERPT: usize = 200;

/// A project or group.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlaceLink {
    /// Its full path.
    pub path: String,
    pub url: String,
}

/// Something that somebody did, in words.
#[derive(Debug)]
pub struct Telling<'t> {
    pub author: Option<&'t User>,
    pub icon: &'static str,
    pub words: &'static str,
    /// What it was done to, and its page if it has one; nothing where that is the
    /// place.
    pub target: String,
    pub target_url: Option<String>,
    /// Where it was done.
    pub place: PlaceLink,
    /// It was done to the place itself.
    pub is_of_place: bool,
    /// How a comment begins.
    pub excerpt: String,
}

impl Telling<'_> {
    /// The page of who did it, if they have one.
    pub fn author_url(&self) -> Option<String> {
        let person = self.author.filter(|user| user.is_human());
        person.map(|user| format!("/{}", user.username))
    }

    pub fn author_name(&self) -> &str {
        self.author.map_or("Somebody", |user| &user.name)
    }

    /// The page of it, or else of its place.
    pub fn url(&self) -> &str {
        self.target_url.as_deref().unwrap_or(&self.place.url)
    }

    /// The whole in one line.
    pub fn line(&self) -> String {
        let (author, words, place) = (self.author_name(), self.words, &self.place.path);
        match self.is_of_place {
            true => format!("{author} {words} {place}"),
            // What is a person's own is in no place.
            false if place.is_empty() => format!("{author} {words} {}", self.target),
            false => format!("{author} {words} {} in {place}", self.target),
        }
    }
}

/// What a page of events needs to be told.
#[derive(Default)]
pub struct Story {
    targets: Targets,
    projects: HashMap<i64, PlaceLink>,
    groups: HashMap<i64, PlaceLink>,
    /// Packages that are still there.
    packages: HashSet<i64>,
}

impl Story {
    /// Reads it in as many statements for any number of events. Who sees the events
    /// sees where they were.
    pub fn read(tx: &mut Tx<'_>, events: &[Event]) -> Result<Story> {
        let package = |event: &Event| {
            let is_package = event.target_type == Kind::Package.stored();
            event.target_id.filter(|_| is_package)
        };
        let packages: Vec<i64> = events.iter().filter_map(package).collect();
        Ok(Story {
            targets: Targets::read(tx, events)?,
            projects: projects(tx, events.iter().filter_map(|event| event.project_id))?,
            groups: groups(tx, events.iter().filter_map(|event| event.group_id))?,
            packages: packages::activity::present(tx, packages)?,
        })
    }

    pub fn tell(&self, event: &Event) -> Telling<'_> {
        let kind = Kind::from_stored(&event.target_type).unwrap_or(Kind::Project);
        let project = event.project_id.and_then(|id| self.projects.get(&id));
        let place = project.or_else(|| self.groups.get(&event.group_id?));
        let place = place.cloned().unwrap_or_default();
        let note = self.targets.note(event);
        Telling {
            author: self.targets.users.get(&event.author_id),
            icon: icon(event.action, kind),
            words: words(event.action, kind, push(event).map(|push| push.action)),
            target: self.target(event, kind),
            target_url: self.url(event, kind, &place),
            is_of_place: matches!(kind, Kind::Project | Kind::Member),
            excerpt: self.excerpt(event, note),
            place,
        }
    }

    /// How a comment begins, or what the newest commit of a push is called.
    fn excerpt(&self, event: &Event, note: Option<&Note>) -> String {
        let commit = || push(event)?.commit_title.as_deref();
        let text = note.map(|note| note.body.as_str()).or_else(commit);
        text.map(excerpt).unwrap_or_default()
    }

    fn target(&self, event: &Event, kind: Kind) -> String {
        let title = self.targets.title(event).unwrap_or_default();
        match (kind, self.targets.issue(event)) {
            (Kind::Push, _) => push(event).map(pushed_to).unwrap_or_default(),
            (Kind::Project | Kind::Member, _) => String::new(),
            (_, Some(issue)) => format!("#{} {title}", issue.iid),
            (Kind::Milestone, _) => format!("milestone {title}"),
            (Kind::Epic, _) => format!("epic {title}"),
            (Kind::Package, _) => format!("package {title}"),
            (Kind::WikiPage, _) => format!("wiki page {title}"),
            (Kind::Snippet | Kind::SnippetNote, _) => format!("snippet {title}"),
            (Kind::MergeRequest | Kind::MergeRequestNote, _) => {
                let request = self.targets.merge_request(event);
                let name = request.map(MergeRequest::reference).unwrap_or_default();
                format!("{name} {title}")
            }
            (Kind::CommitNote, _) => {
                let commit = self.targets.commit(event);
                let name = commit.map(DiscussedCommit::reference).unwrap_or_default();
                format!("commit {name} {title}")
            }
            _ => title,
        }
    }

    fn url(&self, event: &Event, kind: Kind, place: &PlaceLink) -> Option<String> {
        let issue = || Some(self.targets.issue(event)?.path());
        match kind {
            Kind::Project | Kind::Member | Kind::Push => None,
            Kind::Epic => Some(self.targets.epic(event)?.path()),
            Kind::Issue => issue(),
            Kind::Note => Some(format!("{}#note_{}", issue()?, event.target_id?)),
            Kind::Milestone => Some(self.targets.milestone(event)?.path()),
            Kind::Snippet => Some(self.targets.snippet(event)?.path()),
            Kind::SnippetNote => {
                let path = self.targets.snippet(event)?.path();
                Some(format!("{path}#note_{}", event.target_id?))
            }
            Kind::MergeRequest => Some(self.targets.merge_request(event)?.path()),
            Kind::MergeRequestNote => {
                let path = self.targets.merge_request(event)?.path();
                Some(format!("{path}#note_{}", event.target_id?))
            }
            Kind::CommitNote => {
                let path = self.targets.commit(event)?.path();
                Some(format!("{path}#note_{}", event.target_id?))
            }
            Kind::WikiPage => {
                let slug = &self.targets.wiki_page(event)?.slug;
                Some(format!("{}/-/wikis/{}", place.url, wikis::model::in_address(slug)))
            }
            Kind::Package => {
                let id = event.target_id.filter(|id| self.packages.contains(id))?;
                Some(format!("{}/-/packages/{id}", place.url))
            }
        }
    }
}

fn projects(tx: &mut Tx<'_>, ids: impl Iterator<Item = i64>) -> Result<HashMap<i64, PlaceLink>> {
    let ids: HashSet<i64> = ids.collect();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let mut wanted = Fragment::default();
    wanted.in_list("projects.id", ids.into_iter().collect::<Vec<_>>());
    let link = |path: String| PlaceLink { url: format!("/{path}"), path };
    let found = space_rows::projects_where(tx, wanted)?;
    Ok(found.into_iter().map(|project| (project.id, link(project.full_path))).collect())
}

fn groups(tx: &mut Tx<'_>, ids: impl Iterator<Item = i64>) -> Result<HashMap<i64, PlaceLink>> {
    let ids: HashSet<i64> = ids.collect();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let most = ids.len() as i64;
    let mut wanted = Fragment::default();
    wanted.in_list("namespaces.id", ids.into_iter().collect::<Vec<_>>());
    let link = |path: String| PlaceLink { url: format!("/groups/{path}"), path };
    let found = space_rows::namespaces(tx, &wanted, "namespaces.id", most, 0)?;
    Ok(found.into_iter().map(|group| (group.id, link(group.full_path))).collect())
}

/// What was done, before the name of what it was done to.
fn words(action: Action, kind: Kind, pushed: Option<PushAction>) -> &'static str {
    match (kind, action) {
        (Kind::Push, _) => match pushed {
            Some(PushAction::Created) => "pushed the new",
            Some(PushAction::Removed) => "deleted",
            _ => "pushed to",
        },
        (Kind::Project, Action::Created) => "created the project",
        (Kind::Project, _) => "changed the project",
        (Kind::Member, Action::Joined) => "joined",
        (Kind::Member, Action::Expired) => "is no longer a member, as was agreed, of",
        (Kind::Member, _) => "left",
        (kind, _) if kind.is_note() => "commented on",
        (Kind::MergeRequest, Action::Merged) => "merged",
        (Kind::MergeRequest, Action::Approved) => "approved",
        (Kind::Package, Action::Created) => "published",
        (Kind::WikiPage, Action::Created) => "created",
        (_, Action::Created) => "opened",
        (_, Action::Closed) => "closed",
        (_, Action::Reopened) => "reopened",
        (_, Action::Destroyed) => "deleted",
        (_, _) => "changed",
    }
}

fn icon(action: Action, kind: Kind) -> &'static str {
    match (kind, action) {
        (Kind::Push, _) => "code",
        (_, Action::Destroyed) => "trash",
        (_, Action::Closed) => "check",
        (_, Action::Reopened) => "redo",
        (Kind::Project, _) => "project",
        (Kind::Member, Action::Joined) => "plus",
        (Kind::Member, _) => "out",
        (Kind::Issue, _) => "issue",
        (Kind::Note | Kind::SnippetNote | Kind::MergeRequestNote | Kind::CommitNote, _) => {
            "comment"
        }
        (Kind::Snippet | Kind::MergeRequest, _) => "code",
        (Kind::Milestone, _) => "milestone",
        (Kind::Epic, _) => "epic",
        (Kind::Package, _) => "package",
        (Kind::WikiPage, _) => "book",
    }
}

fn push(event: &Event) -> Option<&PushData> {
    event.push_data.as_ref().map(|Json(push)| push)
}

/// Which refs.
fn pushed_to(push: &PushData) -> String {
    let kind = &push.ref_type;
    match (&push.name, push.ref_count) {
        (Some(name), _) => format!("{kind} {name}"),
        (None, Some(1)) => format!("1 {kind}"),
        (None, count) => {
            let plural = if kind == "tag" { "tags" } else { "branches" };
            format!("{} {plural}", count.unwrap_or_default())
        }
    }
}

/// How a comment begins, in one line.
fn excerpt(body: &str) -> String {
    let mut line = String::new();
    for word in body.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if let Some((end, _)) = line.char_indices().nth(EXCERPT) {
            line.truncate(end);
            line.push('…');
            break;
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_is_cut_in_one_line() {
        assert_eq!(excerpt(" one\n\n two\t"), "one two");
        assert_eq!(excerpt(&"ä".repeat(EXCERPT)).chars().count(), EXCERPT);
        let long = excerpt(&"word ".repeat(1_000_000));
        assert_eq!(long.chars().count(), EXCERPT + 1);
        assert!(long.ends_with('…'));
    }
}
