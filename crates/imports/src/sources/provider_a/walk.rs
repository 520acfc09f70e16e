//! How lists are gone through: page by page, or thing by thing where each of them is asked
//! for more. Where it stands is a cursor.

use super::Upstream;
use crate::model::{Kind, Object};
use crate::run::{Import, Lost, Page, Stage, Trouble};
use crate::upstream::{Failed, Items, Leaf, Unreadable};
use futures_util::future::join_all;
use jiff::SignedDuration;
use kernel::error::Error;
use kernel::time::Timestamp;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};
use url::form_urlencoded;

/// Things that are asked for more at once, and for one page.
pub(super) const AT_ONCE: usize = 4;
const MOST_THINGS: usize = 40;
/// Clocks of upstream and of this server may differ by that.
const OVERLAP: SignedDuration = SignedDuration::from_mins(5);

/// A page of a list.
#[derive(Debug)]
pub(super) struct Listed<T> {
    pub things: Vec<T>,
    pub lost: Vec<Unreadable>,
    pub next: Option<Leaf>,
}

impl<T> Default for Listed<T> {
    fn default() -> Listed<T> {
        Listed { things: Vec::new(), lost: Vec::new(), next: None }
    }
}

impl<T> Listed<T> {
    /// The objects that its things are, as a page of a stage.
    pub fn page(
        self, kind: Kind, object: impl Fn(T) -> Result<Option<Object>, Lost>,
    ) -> Result<Page, Trouble> {
        let mut page = Page { next: cursor(self.next.as_ref())?, ..Page::default() };
        page.lost.extend(self.lost.into_iter().map(|one| lost(kind, one)));
        for thing in self.things {
            match object(thing) {
                Ok(object) => page.objects.extend(object),
                Err(lost) => page.lost.push(lost),
            }
        }
        Ok(page)
    }
}

/// A thing that could not be read.
pub(super) fn lost(kind: Kind, unreadable: Unreadable) -> Lost {
    let Unreadable { key, reason } = unreadable;
    Lost {
        kind,
        key,
        reason: format!("It has another form than expected: {reason}"),
    }
}

/// An issue or a pull request that is asked for more.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Thing {
    pub number: i64,
    pub updated_at: Option<Timestamp>,
    /// Of a pull request in the list of those.
    pub state: Option<String>,
    pub merged_at: Option<Timestamp>,
    pub requested_reviewers: Option<IgnoredAny>,
    /// There where the list of issues has a pull request.
    pub pull_request: Option<IgnoredAny>,
    /// How many notes it has.
    pub comments: Option<i64>,
}

/// What changed since some time, of a list of which the newest stand first.
pub(super) trait Dated {
    fn changed_at(&self) -> Option<Timestamp>;
}

impl Dated for Thing {
    fn changed_at(&self) -> Option<Timestamp> {
        self.updated_at
    }
}

impl Dated for super::answers::Pull {
    fn changed_at(&self) -> Option<Timestamp> {
        Some(self.updated_at)
    }
}

/// Where it stands that goes from thing to thing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Steps {
    leaf: Leaf,
    /// Things of that page that are done.
    #[serde(default)]
    done: usize,
    /// The page of what the next one has more.
    inner: Option<Inner>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Inner {
    number: i64,
    leaf: Leaf,
}

impl Steps {
    pub fn first(leaf: Leaf) -> Steps {
        Steps { leaf, done: 0, inner: None }
    }
}

/// What one thing has more.
#[derive(Debug, Default)]
pub(super) struct Part {
    pub objects: Vec<Object>,
    pub lost: Vec<Lost>,
    pub next: Option<Leaf>,
}

/// Reads a cursor that is ours.
pub(super) fn read<T: DeserializeOwned>(cursor: &str) -> Result<T, Trouble> {
    serde_json::from_str(cursor).map_err(|error| Trouble::Internal(Error::internal(error)))
}

/// Where the next page begins, as it is stored.
pub(super) fn cursor<T: Serialize>(next: Option<&T>) -> Result<Option<String>, Trouble> {
    let text = next.map(serde_json::to_string).transpose();
    text.map_err(|error| Trouble::Internal(Error::internal(error)))
}

/// What is asked for has changed since then; none where all is asked for.
pub(super) fn since(import: &Import) -> Option<Timestamp> {
    import.since().and_then(|at| at.checked_sub(OVERLAP).ok())
}

/// The same as upstream reads it.
fn since_text(import: &Import) -> Option<String> {
    since(import).map(|at| at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
}

impl Upstream {
    /// The first page of a list of the repository.
    pub(super) fn first(&self, path: &str, query: &[(&str, &str)]) -> Leaf {
        let mut pairs = form_urlencoded::Serializer::new(String::new());
        pairs.append_pair("per_page", &self.limit.to_string()).extend_pairs(query);
        Leaf::first(format!("{}?{}", self.path(path), pairs.finish()))
    }

    /// The first page of a list that is ordered by when its things were made, of those that
    /// changed since this import came through last.
    pub(super) fn first_changed(
        &self, import: &Import, path: &str, query: &[(&str, &str)],
    ) -> Leaf {
        let since = since_text(import);
        let order = [("sort", "created"), ("direction", "asc")];
        let changed = since.as_deref().map(|since| ("since", since));
        let query: Vec<(&str, &str)> = query.iter().copied().chain(order).chain(changed).collect();
        self.first(path, &query)
    }

    /// The first page of all issues, among which pull requests are.
    pub(super) fn issue_list(&self, import: &Import) -> Leaf {
        self.first_changed(import, "/issues", &[("state", "all")])
    }

    /// The first page of all pull requests. That list knows no time: those that changed last
    /// stand first where only they are wanted.
    pub(super) fn pull_list(&self, import: &Import) -> Leaf {
        let (sort, direction) = match import.since() {
            None => ("created", "asc"),
            Some(_) => ("updated", "desc"),
        };
        self.first("/pulls", &[("state", "all"), ("sort", sort), ("direction", direction)])
    }

    /// A page of a list; nothing where there is none, such as of issues that are switched off.
    pub(super) async fn list<T: DeserializeOwned + Send>(
        &self, leaf: &Leaf,
    ) -> Result<Listed<T>, Failed> {
        let answer = match self.client.ask::<Items<T>>(&leaf.url, &[]).await {
            Err(Failed::Status { status: 410, .. }) => return Ok(Listed::default()),
            answer => answer?,
        };
        let mut listed = Listed { next: leaf.after(answer.next)?, ..Listed::default() };
        for item in answer.value.0 {
            match item {
                Ok(thing) => listed.things.push(thing),
                Err(unreadable) => listed.lost.push(unreadable),
            }
        }
        Ok(listed)
    }

    /// The same of pull requests: those that changed since this import came through last.
    pub(super) async fn pulls<T: DeserializeOwned + Send + Dated>(
        &self, import: &Import, leaf: &Leaf,
    ) -> Result<Listed<T>, Failed> {
        let mut listed = self.list::<T>(leaf).await?;
        if let Some(since) = since(import) {
            let all = listed.things.len();
            listed.things.retain(|one| one.changed_at().is_none_or(|at| at >= since));
            listed.next = listed.next.filter(|_| listed.things.len() == all);
        }
        Ok(listed)
    }

    /// Where a stage begins that goes from thing to thing.
    pub(super) fn steps(&self, import: &Import, stage: Stage) -> Steps {
        Steps::first(match is_of_issues(stage) {
            true => self.issue_list(import),
            false => self.pull_list(import),
        })
    }

    /// Asks some things for more, from where it stands; where it stands then.
    pub(super) async fn each(
        &self, import: &Import, stage: Stage, steps: Steps,
    ) -> Result<(Page, Option<Steps>), Trouble> {
        let listed = match is_of_issues(stage) {
            true => self.list::<Thing>(&steps.leaf).await?,
            false => self.pulls::<Thing>(import, &steps.leaf).await?,
        };
        let mut going = Going { page: Page::default(), steps };
        let begun = going.steps.done;
        if let Some(Inner { number, leaf }) = going.steps.inner.take() {
            // What stands there may be another by now.
            if let Some(thing) = listed.things.iter().find(|thing| thing.number == number) {
                let part = self.more(stage, thing, Some(&leaf)).await?;
                if !going.take(number, part) {
                    return Ok(going.paused());
                }
            }
        }
        let rest = listed.things.get(going.steps.done..).unwrap_or_default();
        for some in rest[..rest.len().min(MOST_THINGS)].chunks(AT_ONCE) {
            let asked = some.iter().map(|thing| self.more(stage, thing, None));
            for (thing, part) in some.iter().zip(join_all(asked).await) {
                let part = match part {
                    // What came is taken first.
                    Err(_) if going.steps.done > begun => return Ok(going.paused()),
                    part => part?,
                };
                if !going.take(thing.number, part) {
                    return Ok(going.paused());
                }
            }
        }
        match going.steps.done < listed.things.len() {
            true => Ok(going.paused()),
            false => Ok((going.page, listed.next.map(Steps::first))),
        }
    }

    /// What one thing has more, for a stage. What cannot be had of it is lost alone.
    async fn more(
        &self, stage: Stage, thing: &Thing, leaf: Option<&Leaf>,
    ) -> Result<Part, Trouble> {
        let part = match stage {
            Stage::MergedBy => self.merged_by(thing).await,
            Stage::ReviewRequests => self.review_requests(thing).await,
            Stage::Reviews => self.reviews(thing, leaf).await,
            Stage::CodeNotes => self.code_notes_of(thing, leaf).await,
            Stage::Notes => self.notes_of(thing, leaf).await,
            Stage::Events => self.events_of(thing, leaf).await,
            _ => Ok(Part::default()),
        };
        match part {
            Ok(part) => Ok(part),
            Err(failed) if failed.is_absent() => Ok(Part::default()),
            Err(failed) if failed.is_of_one() => {
                let key = thing.number.to_string();
                let lost = Lost { kind: stage.kind(), key, reason: failed.to_string() };
                Ok(Part { lost: vec![lost], ..Part::default() })
            }
            Err(failed) => Err(failed.into()),
        }
    }
}

/// Whether a stage goes through issues and pull requests alike.
fn is_of_issues(stage: Stage) -> bool {
    matches!(stage, Stage::Notes | Stage::Events)
}

/// A page on its way.
struct Going {
    page: Page,
    steps: Steps,
}

impl Going {
    /// Takes what a thing has more, if there is room for it; whether it goes on with the
    /// next.
    fn take(&mut self, number: i64, part: Part) -> bool {
        if self.page.objects.len() + part.objects.len() > Page::MOST
            && !self.page.objects.is_empty()
        {
            return false;
        }
        self.page.objects.extend(part.objects);
        self.page.lost.extend(part.lost);
        match part.next {
            Some(leaf) => {
                self.steps.inner = Some(Inner { number, leaf });
                false
            }
            None => {
                self.steps.done += 1;
                true
            }
        }
    }

    /// It goes on here another time.
    fn paused(self) -> (Page, Option<Steps>) {
        (self.page, Some(self.steps))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf() -> Leaf {
        Leaf::first("/repos/a/b/issues?per_page=100".into())
    }

    fn going() -> Going {
        let steps = Steps::first(leaf());
        Going { page: Page::default(), steps }
    }

    fn part(events: usize) -> Part {
        let member = crate::model::Member {
            who: crate::model::Person {
                id: "1".into(),
                username: "a".into(),
                name: None,
                email: None,
            },
            access_level: 10,
            expires_at: None,
        };
        Part {
            objects: vec![Object::Member(member); events],
            ..Part::default()
        }
    }

    #[test]
    fn a_page_ends_where_it_is_full() {
        let mut going = going();
        assert!(going.take(1, part(60)) && going.take(2, part(40)));
        assert!(!going.take(3, part(1)));
        let (page, steps) = going.paused();
        assert_eq!(page.objects.len(), Page::MOST);
        assert_eq!(steps.map(|steps| steps.done), Some(2));
    }

    #[test]
    fn what_goes_on_below_a_thing_is_gone_on_with() {
        let mut going = going();
        assert!(going.take(1, part(1)));
        let more = Part { next: Some(leaf()), ..part(100) };
        assert!(!going.take(2, more));
        assert_eq!(going.steps.inner, None, "there was no room for it");
        let mut going = Going { page: Page::default(), ..going };
        assert!(!going.take(2, Part { next: Some(leaf()), ..part(100) }));
        let text = cursor(Some(&going.steps)).expect("text").expect("a cursor");
        let read: Steps = read(&text).expect("it is ours");
        assert_eq!((read.done, read.inner), (1, Some(Inner { number: 2, leaf: leaf() })));
    }
}
