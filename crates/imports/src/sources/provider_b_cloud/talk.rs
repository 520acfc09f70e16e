//! What was written to each pull request and each issue that came, one after the other.

use super::answers::{Comment, IssueComment};
use super::comments::{self, Threads};
use super::{LIMIT, OLDEST, Upstream, issues, told};
use crate::model::Kind;
use crate::run::Page;
use crate::sources::by_number::ByNumber;
use crate::sources::reading::read;
use crate::upstream::{Failed, Leaf};
use serde::{Deserialize, Serialize};

/// Comments of pull requests.
pub struct OfRequests<'u>(pub &'u Upstream);

/// Comments of issues.
pub struct OfIssues<'u>(pub &'u Upstream);

/// Where in the comments of one it goes on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The first page without it.
    leaf: Option<Leaf>,
    threads: Threads,
}

impl Place {
    fn leaf(&self, first: impl FnOnce() -> String) -> Leaf {
        self.leaf.clone().unwrap_or_else(|| Leaf::first(first()))
    }
}

impl ByNumber for OfRequests<'_> {
    type Place = Place;

    const OF: Kind = Kind::PullRequest;
    const BRINGS: Kind = Kind::Note;

    async fn some(
        &self, number: i64, from: &Place, page: &mut Page,
    ) -> Result<Option<Place>, Failed> {
        let OfRequests(of) = self;
        let leaf = from.leaf(|| format!("{}/pullrequests/{number}/comments", of.repository));
        let (items, next) = of.list::<Comment>(&leaf, &[OLDEST, LIMIT]).await?;
        let names = of.names_in(&items).await?;
        let (words, mut threads) = (of.words(&names), from.threads.clone());
        let key = |comment: &Comment| format!("pull_request:{}", comment.id);
        read(page, Kind::Note, items, key, |comment| {
            let object = comments::object(number, comment, &mut threads, &words);
            Ok(object.into_iter().collect())
        });
        Ok(next.map(|leaf| Place { leaf: Some(leaf), threads: threads.bounded() }))
    }

    fn told(failed: &Failed) -> String {
        told(failed)
    }
}

impl ByNumber for OfIssues<'_> {
    type Place = Place;

    const OF: Kind = Kind::Issue;
    const BRINGS: Kind = Kind::Note;

    async fn some(
        &self, number: i64, from: &Place, page: &mut Page,
    ) -> Result<Option<Place>, Failed> {
        let OfIssues(of) = self;
        let leaf = from.leaf(|| format!("{}/issues/{number}/comments", of.repository));
        let (items, next) = of.list::<IssueComment>(&leaf, &[OLDEST, LIMIT]).await?;
        let names = of.names_in(&items).await?;
        let words = of.words(&names);
        let key = |comment: &IssueComment| format!("issue:{}", comment.id);
        read(page, Kind::Note, items, key, |comment| {
            Ok(issues::note(number, comment, &words))
        });
        Ok(next.map(|leaf| Place { leaf: Some(leaf), ..Place::default() }))
    }

    fn told(failed: &Failed) -> String {
        told(failed)
    }
}
