//! Where what is brought comes to stand: its namespace, what it is called there, and the
//! project itself.

use identity::viewer::Viewer;
use kernel::error::{Error, Found, Result};
use kernel::http::Patch;
use kernel::ids::Reference;
use spaces::access::{self, MAINTAINER, Purpose};
use spaces::model::{
    MAX_DEPTH, MAX_DESCRIPTION, Namespace, Project, Visibility, name_error, path_error,
};
use spaces::rules::{self, GroupChange, ProjectChange};
use store::Tx;

const NEW_NAME: &str =
    "must not start or end with special characters, nor hold two of them after one another";

/// A namespace that is there, or how far it is and what is missing of it.
pub struct Place {
    there: Option<Namespace>,
    /// Paths of groups, from the top.
    missing: Vec<String>,
}

/// The namespace to bring something to, by its id or full path: the viewer's own without one.
/// Groups that are missing are made where that is meant.
///
/// # Errors
///
/// `Parameters` where nothing but a slash is named, `NotFound` where it is not there, or not
/// for this viewer, `Forbidden` where they may not bring anything to it, `Unprocessable` where
/// a group cannot be made.
pub fn resolve(
    tx: &mut Tx<'_>, viewer: &Viewer, target: Option<&str>, creates_groups: bool,
) -> Result<Namespace> {
    find(tx, viewer, target, creates_groups)?.make(tx, viewer)
}

/// The same, and nothing is made yet.
///
/// # Errors
///
/// As [`resolve`], as far as they can be told without making anything.
pub fn find(
    tx: &mut Tx<'_>, viewer: &Viewer, target: Option<&str>, creates_groups: bool,
) -> Result<Place> {
    let place = look(tx, viewer, target)?;
    match &place.there {
        Some(namespace) if place.missing.is_empty() => check_use(tx, viewer, namespace)?,
        _ if !creates_groups => return Err(Error::NotFound("Namespace")),
        above => check_making(tx, viewer, above.as_ref(), &place.missing)?,
    }
    Ok(place)
}

impl Place {
    /// The full path it has, or comes to have.
    pub fn full_path(&self) -> String {
        let there = self.there.as_ref().map(|namespace| namespace.full_path.as_str());
        let missing = self.missing.iter().map(String::as_str);
        there.into_iter().chain(missing).collect::<Vec<_>>().join("/")
    }

    /// Makes the groups that are missing; they are private.
    ///
    /// # Errors
    ///
    /// `Unprocessable` where one cannot be made.
    pub fn make(self, tx: &mut Tx<'_>, viewer: &Viewer) -> Result<Namespace> {
        let mut above = self.there;
        for path in self.missing {
            let parent = above.as_ref().map(|group| group.id);
            let change = GroupChange {
                name: Some(path.clone()),
                path: Some(path.clone()),
                ..GroupChange::default()
            };
            let made = rules::create_group(tx, viewer, parent, &change);
            above = Some(made.map_err(|error| not_made(&path, error))?);
        }
        above.found("Namespace")
    }
}

fn look(tx: &mut Tx<'_>, viewer: &Viewer, target: Option<&str>) -> Result<Place> {
    let Some(target) = target else {
        let own = rules::own_namespace(tx, viewer.signed_in()?.user.id)?;
        return there(tx, &Reference::Id(own));
    };
    let path = target.trim().trim_matches('/');
    if path.is_empty() {
        return Err(Error::Parameters(vec!["target_namespace is empty".into()]));
    }
    if path.bytes().all(|b| b.is_ascii_digit()) {
        // Beyond 64 bits there is no such row; -1 never exists.
        return there(tx, &Reference::Id(path.parse().unwrap_or(-1)));
    }
    way_to(tx, path)
}

fn there(tx: &mut Tx<'_>, reference: &Reference) -> Result<Place> {
    let found = access::find_namespace(tx, reference)?.found("Namespace")?;
    Ok(Place { there: Some(found), missing: Vec::new() })
}

/// How much of a path is there.
fn way_to(tx: &mut Tx<'_>, path: &str) -> Result<Place> {
    if path.matches('/').count() > usize::try_from(MAX_DEPTH).unwrap_or_default() {
        return Err(Error::NotFound("Namespace"));
    }
    let mut missing = Vec::new();
    let mut above = Some(path);
    while let Some(path) = above {
        let found = access::find_namespace(tx, &Reference::Path(path.to_owned()))?;
        if found.is_some() {
            missing.reverse();
            return Ok(Place { there: found, missing });
        }
        let (before, last) = match path.rsplit_once('/') {
            Some((before, last)) => (Some(before), last),
            None => (None, path),
        };
        missing.push(last.to_owned());
        above = before;
    }
    missing.reverse();
    Ok(Place { there: None, missing })
}

/// Refuses a namespace that the viewer may not bring anything to.
fn check_use(tx: &mut Tx<'_>, viewer: &Viewer, namespace: &Namespace) -> Result<()> {
    let by_id = Reference::Id(namespace.id);
    if !namespace.is_group() {
        return rules::namespace_for_projects(tx, viewer, &by_id).map(drop);
    }
    match access::group_and_level(tx, viewer, &by_id, Purpose::CreateProject) {
        Ok((_, level)) if level >= MAINTAINER => Ok(()),
        Ok(_) => Err(Error::forbidden("")),
        Err(Error::NotFound(_)) => Err(Error::NotFound("Namespace")),
        Err(other) => Err(other),
    }
}

/// Refuses groups that the viewer may not make.
fn check_making(
    tx: &mut Tx<'_>, viewer: &Viewer, above: Option<&Namespace>, missing: &[String],
) -> Result<()> {
    let first = missing.first().map_or("", String::as_str);
    let may = match above {
        Some(group) if group.is_group() => {
            access::group(tx, viewer, &Reference::Id(group.id), Purpose::CreateSubgroup).map(drop)
        }
        Some(_) => {
            let text = format!("The group {first} cannot be made: users have no groups.");
            return Err(Error::Unprocessable(text));
        }
        None if rules::may_create_top_group(viewer) => Ok(()),
        None => Err(Error::forbidden("")),
    };
    may.map_err(|error| not_made(first, error))?;
    for (at, path) in missing.iter().enumerate() {
        if let Some(problem) = path_error(path, above.is_none() && at == 0) {
            return Err(not_made(path, Error::invalid("path", problem)));
        }
    }
    Ok(())
}

fn not_made(path: &str, error: Error) -> Error {
    match error {
        Error::Invalid(fields) => {
            Error::Unprocessable(format!("The group {path} cannot be made: {}", sentences(&fields)))
        }
        Error::Forbidden(_) | Error::NotFound(_) => {
            Error::Unprocessable(format!("You are not allowed to make the group {path}."))
        }
        other => other,
    }
}

/// What is wrong with a thing, as sentences behind one another.
pub fn sentences(fields: &[(String, Vec<String>)]) -> String {
    let of_field = |(field, messages): &(String, Vec<String>)| {
        let words = field.replace('_', " ");
        let mut letters = words.chars();
        let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
        let name = format!("{first}{}", letters.as_str());
        messages.iter().map(|message| format!("{name} {message}")).collect::<Vec<_>>()
    };
    fields.iter().flat_map(of_field).collect::<Vec<_>>().join(", ")
}

/// What a project is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Naming {
    pub name: String,
    pub path: String,
}

impl Naming {
    /// As somebody wants it called, or else as it is called where it comes from.
    ///
    /// # Errors
    ///
    /// `Invalid` for a wanted name that is none.
    pub fn of(wanted: Option<&str>, name: &str, path: &str) -> Result<Naming> {
        match wanted {
            Some(wanted) if is_plain(wanted) => {
                Ok(Naming { name: wanted.to_owned(), path: path_of(wanted) })
            }
            Some(_) => Err(Error::invalid("new_name", NEW_NAME)),
            None => {
                let path = path_of(path);
                let name = Some(name).filter(|name| name_error(name).is_none());
                Ok(Naming { name: name.unwrap_or(&path).to_owned(), path })
            }
        }
    }
}

/// Letters and digits with single other characters between them.
fn is_plain(name: &str) -> bool {
    let is_special = |c: char| c.is_ascii() && !c.is_ascii_alphanumeric();
    let follows = |pair: (char, char)| is_special(pair.0) && is_special(pair.1);
    !name.starts_with(is_special)
        && !name.ends_with(is_special)
        && !name.chars().zip(name.chars().skip(1)).any(follows)
}

/// The text itself where it is a path, or one that is made of it.
fn path_of(text: &str) -> String {
    match path_error(text, false) {
        None => text.to_owned(),
        Some(_) => rules::path_from(text),
    }
}

/// Makes the project, no more visible than its namespace allows.
///
/// # Errors
///
/// `Invalid` if it cannot be called so, or the viewer has all the projects they may have.
pub fn project(
    tx: &mut Tx<'_>, viewer: &Viewer, namespace: &Namespace, name: &str, path: &str,
    visibility: Visibility, description: Option<&str>,
) -> Result<Project> {
    let level = visibility.level().min(access::widest_below(Some(namespace)));
    // PostgreSQL cannot hold NUL in text.
    let plain = |text: &str| text.chars().filter(|c| *c != '\0').take(MAX_DESCRIPTION).collect();
    let description: Option<String> = description.map(plain);
    let change = ProjectChange {
        name: Some(name.to_owned()),
        path: Some(path.to_owned()),
        description: Patch::given(description),
        visibility: Some(Visibility::of(level)),
        ..ProjectChange::default()
    };
    rules::create_own_project(tx, viewer, Some(namespace.id), &change)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_taken_as_wanted_or_as_it_was() {
        for (wanted, name, path, expected) in [
            (Some("API-client"), "x", "x", ("API-client", "API-client")),
            (Some("My client 2"), "x", "x", ("My client 2", "my-client-2")),
            (None, "The Client", "client", ("The Client", "client")),
            (None, "a/b", "a.b", ("a.b", "a.b")),
            (None, ".hidden", ".hidden", ("hidden", "hidden")),
        ] {
            let naming = Naming::of(wanted, name, path).unwrap();
            assert_eq!((naming.name.as_str(), naming.path.as_str()), expected);
        }
        for bad in ["-a", "a-", "a--b", "a_.b", " a", "a "] {
            assert!(Naming::of(Some(bad), "x", "x").is_err(), "{bad}");
        }
    }

    #[test]
    fn what_is_wrong_is_said_in_sentences() {
        let taken = || vec!["has already been taken".to_owned()];
        let fields = [("name".to_owned(), taken()), ("project_path".to_owned(), taken())];
        let text = "Name has already been taken, Project path has already been taken";
        assert_eq!(sentences(&fields), text);
    }
}
