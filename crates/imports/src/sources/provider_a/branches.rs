//! Branches that are protected upstream, and how.

use super::Upstream;
use super::answers::{Named, Protection, Switch, people};
use super::walk::{AT_ONCE, cursor, lost, read};
use crate::model::{Kind, Object, ProtectedBranch};
use crate::run::{Lost, Page, Trouble};
use crate::upstream::Leaf;
use futures_util::future::join_all;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// What stands for itself in a part of a path.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

impl Upstream {
    pub(super) async fn protected_branches(&self, stored: Option<&str>) -> Result<Page, Trouble> {
        let first = || Ok(self.first("/branches", &[("protected", "true")]));
        let leaf: Leaf = stored.map_or_else(first, read)?;
        let listed = self.list::<Named>(&leaf).await?;
        let mut page = Page { next: cursor(listed.next.as_ref())?, ..Page::default() };
        page.lost
            .extend(listed.lost.into_iter().map(|one| lost(Kind::ProtectedBranch, one)));
        for some in listed.things.chunks(AT_ONCE) {
            let asked = some.iter().map(|branch| self.protection(&branch.name));
            for protected in join_all(asked).await {
                match protected? {
                    Ok(branch) => page.objects.extend(branch.map(Object::ProtectedBranch)),
                    Err(lost) => page.lost.push(lost),
                }
            }
        }
        Ok(page)
    }

    /// How a branch is protected, if it is.
    async fn protection(
        &self, name: &str,
    ) -> Result<Result<Option<ProtectedBranch>, Lost>, Trouble> {
        let branch = utf8_percent_encode(name, PLAIN);
        let path = self.path(&format!("/branches/{branch}/protection"));
        match self.client.ask::<Protection>(&path, &[]).await {
            Ok(answer) => Ok(Ok(Some(protected(name, answer.value)))),
            Err(failed) if failed.is_absent() => Ok(Ok(None)),
            Err(failed) if failed.is_of_one() => {
                let (kind, key) = (Kind::ProtectedBranch, name.to_owned());
                Ok(Err(Lost { kind, key, reason: failed.to_string() }))
            }
            Err(failed) => Err(failed.into()),
        }
    }
}

fn protected(name: &str, from: Protection) -> ProtectedBranch {
    let is_on = |switch: &Option<Switch>| switch.as_ref().is_some_and(|switch| switch.enabled);
    let reviews = from.required_pull_request_reviews;
    let by_owners = reviews.as_ref().is_some_and(|reviews| reviews.require_code_owner_reviews);
    ProtectedBranch {
        name: name.to_owned(),
        allows_force_push: is_on(&from.allow_force_pushes),
        needs_code_owners: by_owners,
        needs_merge_request: reviews.is_some(),
        needs_resolved_threads: is_on(&from.required_conversation_resolution),
        needs_signed_commits: is_on(&from.required_signatures),
        pushers: reviews
            .and_then(|reviews| reviews.bypass_pull_request_allowances)
            .map(|allowed| people(allowed.users))
            .unwrap_or_default(),
        push_level: None,
        merge_level: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn rules_of_a_branch_are_read() {
        let from = json!({
            "required_conversation_resolution": {"enabled": true},
            "required_signatures": {"enabled": false},
            "allow_force_pushes": {"enabled": true},
            "required_pull_request_reviews": {"require_code_owner_reviews": true,
                "bypass_pull_request_allowances": {"users": [{"id": 2, "login": "bob"}]}}
        });
        let read = protected("main", serde_json::from_value(from).expect("a protection"));
        assert!(read.allows_force_push && read.needs_code_owners && read.needs_merge_request);
        assert!(read.needs_resolved_threads && !read.needs_signed_commits);
        assert_eq!(read.pushers.first().map(|who| who.username.as_str()), Some("bob"));
        let bare = protected("main", serde_json::from_value(json!({})).expect("a protection"));
        assert!(!bare.needs_merge_request && bare.pushers.is_empty());
    }

    #[test]
    fn names_stand_in_paths() {
        let path = utf8_percent_encode("release/1.0 é?", PLAIN).to_string();
        assert_eq!(path, "release%2F1.0%20%C3%A9%3F");
    }
}
