//! Who people are in the file: as they are known here, placeholders as whom they stand for.

use crate::model::Person;
use crate::people::store::of_placeholder;
use identity::entities::load_basic;
use identity::model::UserKind;
use kernel::error::Result;
use std::collections::HashMap;
use store::Tx;

/// Those who came up already.
#[derive(Default)]
pub struct People {
    known: HashMap<i64, Person>,
}

impl People {
    /// Who this is; see [`known`] for who is gone.
    pub fn of(&mut self, tx: &mut Tx<'_>, id: i64) -> Result<Person> {
        if let Some(person) = self.known.get(&id) {
            return Ok(person.clone());
        }
        let person = look(tx, id)?;
        self.known.insert(id, person.clone());
        Ok(person)
    }
}

fn look(tx: &mut Tx<'_>, id: i64) -> Result<Person> {
    let found = load_basic(tx, &[id])?.remove(&id);
    let Some(user) = found.filter(|user| user.kind != UserKind::Ghost) else {
        return Ok(nobody());
    };
    if user.kind == UserKind::Placeholder
        && let Some(source) = of_placeholder(tx, id)?
    {
        return Ok(Person {
            // Of another server: no number of ours.
            id: format!("{}/{}", source.host, source.source_user_id),
            username: source.username,
            name: source.name,
            email: None,
        });
    }
    let email = user.public_email.to_string();
    Ok(Person {
        id: user.id.to_string(),
        username: user.username,
        name: Some(user.name),
        email: Some(email).filter(|email| !email.is_empty()),
    })
}

fn nobody() -> Person {
    Person {
        id: String::new(),
        username: String::new(),
        name: None,
        email: None,
    }
}

/// Somebody, unless they are gone: what they did is nobody's.
pub fn known(person: Option<Person>) -> Option<Person> {
    person.filter(|person| !person.id.is_empty())
}
