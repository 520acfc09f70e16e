//! A user's groups, as tokens of other services are told about them, and what
//! they demand.

use crate::access::{DEVELOPER, GUEST, MAINTAINER, OWNER, groups_direct, groups_of};
use crate::access::{PLANNER, REPORTER};
use identity::hooks::UsersGroup;
use kernel::error::Result;
use store::{Fragment, Tx, sql};

/// Most groups told of one user.
const MAX: i64 = 1_000;

/// The groups where the user has a role, inherited ones included, by path.
pub fn groups(tx: &mut Tx<'_>, user_id: i64) -> Result<Vec<UsersGroup>> {
    let mut query = Fragment::new("select namespaces.full_path, case");
    for level in [OWNER, MAINTAINER, DEVELOPER, REPORTER, PLANNER] {
        query.raw(" when ").append(groups_of(tx, user_id, level)).push(" then ", level);
    }
    query.push(" else ", GUEST).raw(" end, ");
    query.append(groups_direct(tx, user_id)).raw(" from namespaces where ");
    query
        .append(groups_of(tx, user_id, GUEST))
        .push(" order by namespaces.full_path limit ", MAX);
    let rows: Vec<(String, i64, bool)> = tx.query(query)?;
    Ok(rows
        .into_iter()
        .map(|(path, level, direct)| UsersGroup { path, level, direct })
        .collect())
}

/// The fewest hours that a group of the user's, or one above, gives its
/// members to set up a second factor; none when no such group requires one.
pub fn two_factor_grace(tx: &mut Tx<'_>, user_id: i64) -> Result<Option<i64>> {
    let mut query = Fragment::new(
        "select min(above.two_factor_grace_period) from namespaces above
         where above.require_two_factor and exists (select 1 from namespaces where          namespaces.lineage like above.lineage || '%' escape '\\' and ",
    );
    query.append(groups_of(tx, user_id, GUEST)).raw(")");
    let rows: Vec<Option<i64>> = tx.query(query)?;
    Ok(rows.into_iter().flatten().next())
}

/// The name of a group, for the consent page.
pub fn group_name(tx: &mut Tx<'_>, id: i64) -> Result<Option<String>> {
    Ok(tx.optional(sql!("select name from namespaces where id = $1 and kind = 'group'"), (id,))?)
}
