//! People whom a change names.

use crate::model::MAX_NAMED;
use identity::entities::load_basic;
use identity::model::User;
use kernel::error::{Error, Result};
use store::Tx;

/// What is told where people came to something and went, each with what they are then: `assigned
/// to @jane and unassigned @joe`; nothing where nobody did.
pub fn told(tx: &mut Tx<'_>, came: (&str, &[i64]), went: (&str, &[i64])) -> Result<Option<String>> {
    if came.1.is_empty() && went.1.is_empty() {
        return Ok(None);
    }
    let users = load_basic(tx, &[came.1, went.1].concat())?;
    let parts = [came, went].into_iter().filter(|(_, ids)| !ids.is_empty()).map(|(word, ids)| {
        let known = ids.iter().filter_map(|id| users.get(id));
        let names: Vec<String> = known.map(|user| format!("@{}", user.username)).collect();
        format!("{word} {}", names.join(" "))
    });
    Ok(Some(parts.collect::<Vec<_>>().join(" and ")))
}

/// Those of these users who may have what a field gives, each once.
///
/// # Errors
///
/// 400 for too many.
pub fn those_who(
    tx: &mut Tx<'_>, field: &str, ids: &[i64], may: impl Fn(&mut Tx<'_>, &User) -> Result<bool>,
) -> Result<Vec<i64>> {
    let ids: Vec<i64> = ids.iter().copied().filter(|id| *id > 0).collect();
    if ids.len() > MAX_NAMED {
        return Err(Error::invalid(field, "are too many (maximum is 200)"));
    }
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let users = load_basic(tx, &ids)?;
    let mut allowed = Vec::new();
    for id in ids {
        if let Some(user) = users.get(&id)
            && !allowed.contains(&id)
            && may(tx, user)?
        {
            allowed.push(id);
        }
    }
    Ok(allowed)
}
