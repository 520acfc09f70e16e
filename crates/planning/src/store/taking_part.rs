//! Who takes part in issues, epics and merge requests.

use super::listed::Listed;
use super::notes::readable_anywhere;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::graph::{Owned, Window};
use store::{Fragment, Tx};

/// Things of lists, and as what people take part in them beside their authors: `assignees`.
pub type WithPeople = (Listed, &'static [&'static str]);

/// A page for each of these of the ids of who takes part: its author, such people, and who
/// wrote notes that the viewer sees.
pub fn taking_part(
    tx: &mut Tx<'_>, viewer: &Viewer, (of, people): WithPeople, ids: &[i64], window: &Window,
) -> Result<Vec<Owned<i64>>> {
    let Listed { table, one, kind } = of;
    let mut from = Fragment::new(&format!(
        " from (select id as owner_id, author_id as user_id from {table} where"
    ));
    from.in_list("id", ids);
    for people in people {
        from.raw(&format!(" union select {one}_id, user_id from {one}_{people} where"))
            .in_list(&format!("{one}_id"), ids);
    }
    from.raw(
        " union select notes.noteable_id, notes.author_id from notes
            left join projects on projects.id = notes.project_id where",
    )
    .in_list("notes.noteable_id", ids)
    .push(" and notes.noteable_type = ", kind)
    .raw(" and not notes.is_system and ")
    .append(readable_anywhere(tx, viewer))
    .raw(") as people where people.user_id is not null");
    Ok(tx.query(window.narrow_each("people.user_id", "people.owner_id", from))?)
}
