//! Who is told of something: users by name, members of places.

use identity::model::User;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::time::date_of;
use spaces::access::visible_groups;
use spaces::model::Namespace;
use store::{Fragment, Tx, sql};

/// Users of these folded logins.
pub fn named(tx: &mut Tx<'_>, names: &[String]) -> Result<Vec<User>> {
    Ok(tx.all(
        sql!("select * from users where username_folded in_list($1) order by id"),
        (names,),
    )?)
}

/// Groups of these folded paths that the viewer sees and that may be named.
pub fn named_groups(tx: &mut Tx<'_>, viewer: &Viewer, names: &[String]) -> Result<Vec<Namespace>> {
    let mut query = Fragment::new("select namespaces.* from namespaces where ");
    query
        .append(visible_groups(tx, viewer))
        .raw(" and coalesce(namespaces.mentions_disabled, false) = false and")
        .in_list("namespaces.full_path_folded", names)
        .raw(" order by namespaces.id");
    Ok(tx.query(query)?)
}

/// Members of a project, if it is one, and of these groups, at most so many as
/// may be told.
pub fn members(tx: &mut Tx<'_>, project: i64, groups: Vec<i64>) -> Result<Vec<User>> {
    let today = date_of(tx.now());
    Ok(tx.all(
        sql!(
            "select * from users where id in (select m.user_id from members m
                where m.requested_at is null and (m.expires_at is null or m.expires_at > $3)
                    and ((m.source_type = 'Project' and m.source_id = $1)
                        or (m.source_type = 'Group' and m.source_id in_list($2))))
             order by id limit 100"
        ),
        (project, groups, today),
    )?)
}

pub fn emails_enabled(tx: &mut Tx<'_>, groups: &[i64]) -> Result<bool> {
    let silent: Option<i64> = tx.optional(
        sql!("select id from namespaces where id in_list($1) and not emails_enabled limit 1"),
        (groups,),
    )?;
    Ok(silent.is_none())
}

/// Members of a project and of these groups.
pub fn member_ids(tx: &mut Tx<'_>, project: i64, groups: &[i64], most: i64) -> Result<Vec<i64>> {
    let today = date_of(tx.now());
    Ok(tx.all(
        sql!(
            "select distinct m.user_id from members m
             where m.requested_at is null and (m.expires_at is null or m.expires_at > $3)
                and ((m.source_type = 'Project' and m.source_id = $1)
                    or (m.source_type = 'Group' and m.source_id in_list($2)))
             order by m.user_id limit $4"
        ),
        (project, groups, today, most),
    )?)
}
