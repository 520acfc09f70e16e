//! Who people elsewhere are here. Somebody of whom that was said is that user; of others a
//! placeholder of theirs tells what they did, one for each of them, for each server, in each
//! top-level group. In the namespaces of persons, and of those who are too many, one user
//! stands for all of them ([`model`]). An owner of the group says who they are, and who that
//! is says whether it is so ([`rules`]); a job then gives them what the placeholder has.

pub mod entity;
mod given;
mod jobs;
mod mail;
pub mod model;
pub mod rules;
pub mod store;
mod tasks;

pub use given::user_map;
pub use model::{SourceUser, SourceUserStatus};

use self::store::Known;
use crate::model::Person;
use crate::run::{Import, SourceName};
use ::store::Tx;
use identity::entities::load_basic;
use identity::model::User;
use identity::users;
use kernel::error::{CONFLICT, Error, Found, Result};
use kernel::ids::{Reference, fold};
use model::{MOST_PLACEHOLDERS, placeholder_name, placeholder_username};
use planning::transfer::line;
use spaces::access::find_project;
use spaces::model::Project;
use std::collections::HashMap;

pub(crate) fn jobs(registry: &mut kernel::jobs::RegistryBuilder) {
    registry.add::<tasks::Reassign>();
    registry.add::<tasks::TellOfReassignment>();
}

/// The server that people are of. A file says itself where it comes from: who was said to be
/// somebody for one file is not so for the next, which anybody may have written.
fn host(import: &Import) -> String {
    match import.source {
        SourceName::ProjectFile => format!("{}#{}", import.host, import.id),
        _ => import.host.clone(),
    }
}

/// The people of an import, while something of it is written.
pub struct People {
    /// None where one user stands for all.
    known: Option<Known>,
    /// Who was said in the beginning, by folded logins or what else is theirs there.
    given: HashMap<String, i64>,
    /// Usernames here, by folded logins there.
    usernames: HashMap<String, String>,
    /// Those who came up already.
    found: HashMap<String, i64>,
    ghost: Option<i64>,
    /// How many the group knows, once that was counted.
    count: Option<i64>,
}

impl People {
    /// Those of an import.
    ///
    /// # Errors
    ///
    /// `NotFound` where its project is gone.
    pub fn of(tx: &mut Tx<'_>, import: &Import) -> Result<People> {
        let project = find_project(tx, &Reference::Id(import.project_id))?.found("Project")?;
        People::of_project(tx, import, &project)
    }

    /// Those of an import into a project.
    ///
    /// # Errors
    ///
    /// What the database refuses.
    pub fn of_project(tx: &mut Tx<'_>, import: &Import, project: &Project) -> Result<People> {
        let top = project.ancestors().first().copied();
        let known = top.filter(|_| project.namespace_kind == "group").map(|namespace_id| Known {
            namespace_id,
            source: import.source,
            host: host(import),
        });
        let mut people = People {
            known,
            given: HashMap::new(),
            usernames: HashMap::new(),
            found: HashMap::new(),
            ghost: None,
            count: None,
        };
        people.remember_settled(tx)?;
        people.remember_given(tx, import)?;
        Ok(people)
    }

    fn remember_settled(&mut self, tx: &mut Tx<'_>) -> Result<()> {
        if let Some(known) = &self.known {
            let settled = store::settled(tx, known)?;
            self.usernames
                .extend(settled.into_iter().map(|(there, here)| (fold(&there), here)));
        }
        Ok(())
    }

    /// Of who was said in the beginning those who are still there.
    fn remember_given(&mut self, tx: &mut Tx<'_>, import: &Import) -> Result<()> {
        if import.user_map.0.is_empty() {
            return Ok(());
        }
        let ids: Vec<i64> = import.user_map.0.values().copied().collect();
        let users = load_basic(tx, &ids)?;
        for (login, id) in &import.user_map.0 {
            if let Some(user) = users.get(id).filter(|user| user.is_human()) {
                self.given.insert(fold(login), user.id);
                self.usernames.insert(fold(login), user.username.clone());
            }
        }
        Ok(())
    }

    /// Under whose name stands here what somebody did.
    ///
    /// # Errors
    ///
    /// What the database refuses.
    pub fn user(&mut self, tx: &mut Tx<'_>, person: &Person) -> Result<i64> {
        if let Some(id) = self.found.get(&person.id) {
            return Ok(*id);
        }
        let id = match self.given(person) {
            Some(id) => id,
            None => self.stand_in(tx, person)?,
        };
        self.found.insert(person.id.clone(), id);
        Ok(id)
    }

    /// Who they are as it was said in the beginning.
    fn given(&self, person: &Person) -> Option<i64> {
        let by_login = self.given.get(&fold(&person.username));
        by_login.or_else(|| self.given.get(&fold(&person.id))).copied()
    }

    /// The same of the author of something; the ghost for who is gone there.
    ///
    /// # Errors
    ///
    /// What the database refuses.
    pub fn author(&mut self, tx: &mut Tx<'_>, person: Option<&Person>) -> Result<i64> {
        if let Some(person) = person {
            return self.user(tx, person);
        }
        let ghost = match self.ghost {
            Some(ghost) => ghost,
            None => users::ghost(tx)?.id,
        };
        self.ghost = Some(ghost);
        Ok(ghost)
    }

    /// Who somebody is here, where that is known.
    ///
    /// # Errors
    ///
    /// What the database refuses.
    pub fn real(&mut self, tx: &mut Tx<'_>, person: &Person) -> Result<Option<i64>> {
        let id = self.user(tx, person)?;
        let found = users::find(tx, id)?.filter(User::is_human);
        Ok(found.map(|user| user.id))
    }

    /// The username here of who has this login there, where it is known who that is.
    pub fn username(&self, login: &str) -> Option<&str> {
        self.usernames.get(&fold(login)).map(String::as_str)
    }

    /// Who stands for somebody of whom nobody has said who they are.
    fn stand_in(&mut self, tx: &mut Tx<'_>, person: &Person) -> Result<i64> {
        let Some(known) = self.known.clone() else {
            return users::import_user(tx);
        };
        let theirs = line(&person.id);
        if let Some(row) = store::find(tx, &known, &theirs)? {
            return match row.stands_as() {
                Some(id) => Ok(id),
                None => users::import_user(tx),
            };
        }
        let count = match self.count {
            Some(count) => count,
            None => store::count(tx, known.namespace_id)?,
        };
        if count >= MOST_PLACEHOLDERS {
            self.count = Some(count);
            return users::import_user(tx);
        }
        self.count = Some(count + 1);
        let name = person.name.as_deref().filter(|name| !name.trim().is_empty());
        let (login, name) = (line(&person.username), name.map(line));
        let id = store::insert(tx, &known, &theirs, (&login, name.as_deref()))?;
        // Somebody else has just added them.
        let id = id.ok_or_else(|| Error::Unavailable(CONFLICT.into()))?;
        let username = placeholder_username(&person.username, id);
        let placeholder = users::placeholder(tx, &username, &placeholder_name(person))?;
        store::set_placeholder(tx, id, Some(placeholder.id))?;
        Ok(placeholder.id)
    }
}
