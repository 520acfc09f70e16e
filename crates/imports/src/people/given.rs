//! Who people elsewhere are, as it is said when an import begins.

use ::store::Tx;
use identity::entities::load_basic;
use identity::model::{User, UserState};
use identity::viewer::Viewer;
use kernel::error::{Error, Result};
use kernel::ids::fold;
use planning::store::people::named;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap};

/// Most people who are named at once.
const MOST: usize = 1_000;
const FIELD: &str = "user_map";
const FOREIGN: &str = "Only administrators say of others who they are: they are asked later";

/// Logins elsewhere, each with the name or id of a user here. Of others than themselves only
/// administrators say it: it puts under their names what they did not confirm.
///
/// # Errors
///
/// `Invalid` where nobody has such a name or id or there are too many, `Forbidden` of others.
pub fn user_map(
    tx: &mut Tx<'_>, viewer: &Viewer, sent: &Map<String, Value>,
) -> Result<BTreeMap<String, i64>> {
    if sent.len() > MOST {
        return Err(Error::invalid(FIELD, "has too many users (maximum is 1000)"));
    }
    let users = Users::read(tx, sent)?;
    let mut map = BTreeMap::new();
    for (login, wanted) in sent {
        let user = users.find(wanted).filter(|user| is_usable(user));
        let user = user.ok_or_else(|| {
            Error::invalid(FIELD, format!("names nobody who can sign in for {login}"))
        })?;
        if !viewer.is_admin() && viewer.user_id() != Some(user.id) {
            return Err(Error::forbidden(FOREIGN));
        }
        map.insert(login.clone(), user.id);
    }
    Ok(map)
}

fn is_usable(user: &User) -> bool {
    user.is_human() && user.state == UserState::Active
}

/// Users that are named, by folded name and by id.
struct Users {
    by_name: HashMap<String, User>,
    by_id: HashMap<i64, User>,
}

impl Users {
    fn read(tx: &mut Tx<'_>, sent: &Map<String, Value>) -> Result<Users> {
        let names: Vec<String> = sent.values().filter_map(Value::as_str).map(fold).collect();
        let ids: Vec<i64> = sent.values().filter_map(id).collect();
        let found = named(tx, &names)?;
        Ok(Users {
            by_name: found.into_iter().map(|user| (fold(&user.username), user)).collect(),
            by_id: load_basic(tx, &ids)?,
        })
    }

    fn find(&self, wanted: &Value) -> Option<&User> {
        let by_id = id(wanted).and_then(|id| self.by_id.get(&id));
        by_id.or_else(|| self.by_name.get(&fold(wanted.as_str()?)))
    }
}

/// A user's id, as number or digits.
fn id(wanted: &Value) -> Option<i64> {
    match wanted {
        Value::Number(number) => number.as_i64(),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn ids_come_as_numbers_and_as_digits() {
        assert_eq!(id(&json!(7)), Some(7));
        assert_eq!(id(&json!("7")), Some(7));
        for none in [json!("jane"), json!(null), json!(1.5), json!([7])] {
            assert_eq!(id(&none), None, "{none}");
        }
    }
}
