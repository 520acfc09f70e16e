//! Stars of projects.

use identity::model::User;
use kernel::error::Result;
use kernel::http::Paging;
use kernel::time::Timestamp;
use store::{Fragment, FromRow, Row, Tx, sql};

#[derive(Debug, Clone)]
pub struct Starrer {
    pub since: Timestamp,
    pub user: User,
}

impl FromRow for Starrer {
    fn from_row(row: &mut Row<'_>) -> store::Result<Self> {
        Ok(Starrer { since: row.get("starred_since")?, user: User::from_row(row)? })
    }
}

/// Active users who starred a project, `search` in name or username, and how
/// many there are.
pub fn page(
    tx: &mut Tx<'_>, project_id: i64, search: Option<&str>, paging: &Paging,
) -> Result<(Vec<Starrer>, i64)> {
    let mut condition = Fragment::new("users.id = stars.user_id and users.state = 'active'");
    condition.push(" and stars.project_id = ", project_id);
    if let Some(search) = search.filter(|search| !search.is_empty()) {
        let columns = ["name_folded", "username_folded"];
        super::filters::search_in(&mut condition, "users", &columns, search);
    }
    let total = super::count(tx, "stars, users", &condition)?;
    let mut list =
        Fragment::new("select users.*, stars.created_at as starred_since from stars, users where ");
    list.append(condition)
        .push(" order by users.id limit ", paging.fetch())
        .push(" offset ", paging.offset());
    Ok((tx.query(list)?, total))
}

/// Whether a user starred a project.
pub fn is_starred(tx: &mut Tx<'_>, project_id: i64, user_id: i64) -> Result<bool> {
    let found: Option<i64> = tx.optional(
        sql!("select user_id from stars where project_id = $1 and user_id = $2"),
        (project_id, user_id),
    )?;
    Ok(found.is_some())
}

/// Stars or unstars a project; whether that was not so before.
pub fn set(tx: &mut Tx<'_>, project_id: i64, user_id: i64, starred: bool) -> Result<bool> {
    let now = tx.now();
    let changed = match starred {
        true => tx.execute(
            sql!(
                "insert into stars (project_id, user_id, created_at) values ($1, $2, $3)
                 on conflict (project_id, user_id) do nothing"
            ),
            (project_id, user_id, now),
        )?,
        false => tx.execute(
            sql!("delete from stars where project_id = $1 and user_id = $2"),
            (project_id, user_id),
        )?,
    };
    if changed > 0 {
        let by: i64 = if starred { 1 } else { -1 };
        tx.execute(
            sql!("update projects set star_count = star_count + $2 where id = $1"),
            (project_id, by),
        )?;
    }
    Ok(changed > 0)
}
