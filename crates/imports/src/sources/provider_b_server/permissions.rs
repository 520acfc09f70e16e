//! Who may do what in the project there, as members here. Only its administrators are told.

use super::answers::{Paged, Permission};
use super::{Upstream, next_cursor, start_of, trouble};
use crate::model::{Kind, Member, Object};
use crate::run::{Page, Trouble};
use crate::sources::reading::read;
use spaces::access::{DEVELOPER, MAINTAINER, REPORTER};

pub async fn page(of: &Upstream, cursor: Option<&str>) -> Result<Page, Trouble> {
    let path = format!("{}/permissions/users", of.project);
    let start = start_of(cursor)?;
    let list: Paged<Permission> = match of.list(&path, start, &[]).await {
        Ok(list) => list,
        Err(failed) if matches!(failed.status(), Some(401 | 403 | 404)) => {
            return Ok(Page::default());
        }
        Err(failed) => return Err(trouble(failed)),
    };
    let mut page = Page { next: next_cursor(&list, start)?, ..Page::default() };
    let key = |it: &Permission| it.user.person().map(|who| who.id).unwrap_or_default();
    read(&mut page, Kind::Collaborator, list.values, key, |it| {
        let who = it.user.person().ok_or("They have no name.")?;
        let access_level = level(&it.permission)?;
        Ok(vec![Object::Member(Member { who, access_level, expires_at: None })])
    });
    Ok(page)
}

fn level(permission: &str) -> Result<i64, String> {
    match permission {
        "PROJECT_READ" | "REPO_READ" => Ok(REPORTER),
        "PROJECT_WRITE" | "REPO_WRITE" => Ok(DEVELOPER),
        "PROJECT_ADMIN" | "REPO_ADMIN" => Ok(MAINTAINER),
        other => Err(format!("Their permission is unknown: {other}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permissions_are_roles() {
        assert_eq!(level("PROJECT_READ"), Ok(20));
        assert_eq!(level("PROJECT_WRITE"), Ok(30));
        assert_eq!(level("PROJECT_ADMIN"), Ok(40));
        assert!(level("PROJECT_CREATE").is_err());
    }
}
