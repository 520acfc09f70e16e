//! The same things with other people in them.

use super::model::{Approval, CodeNote, MergeRequest, Reviewer};
use planning::transfer::Reaction;

/// Who somebody is, where there is anybody.
fn one<P, Q, E>(
    person: Option<P>, who: &mut impl FnMut(P) -> Result<Q, E>,
) -> Result<Option<Q>, E> {
    person.map(who).transpose()
}

fn all<P, Q, E>(people: Vec<P>, who: &mut impl FnMut(P) -> Result<Q, E>) -> Result<Vec<Q>, E> {
    people.into_iter().map(who).collect()
}

fn reactions<P, Q, E>(
    reactions: Vec<Reaction<P>>, who: &mut impl FnMut(P) -> Result<Q, E>,
) -> Result<Vec<Reaction<Q>>, E> {
    let of = |reaction: Reaction<P>| reaction.with_people(who);
    reactions.into_iter().map(of).collect()
}

impl<P> MergeRequest<P> {
    /// The same with other people.
    ///
    /// # Errors
    ///
    /// Those of `who`.
    pub fn with_people<Q, E>(
        self, who: &mut impl FnMut(P) -> Result<Q, E>,
    ) -> Result<MergeRequest<Q>, E> {
        let mut reviewers = Vec::with_capacity(self.reviewers.len());
        for Reviewer { who: person, state } in self.reviewers {
            reviewers.push(Reviewer { who: who(person)?, state });
        }
        let mut approvals = Vec::with_capacity(self.approvals.len());
        for Approval { by, at } in self.approvals {
            approvals.push(Approval { by: who(by)?, at });
        }
        Ok(MergeRequest {
            number: self.number,
            title: self.title,
            description: self.description,
            author: one(self.author, who)?,
            assignees: all(self.assignees, who)?,
            reviewers,
            state: self.state,
            is_draft: self.is_draft,
            source_branch: self.source_branch,
            target_branch: self.target_branch,
            head: self.head,
            start: self.start,
            base: self.base,
            versions: self.versions,
            merge_commit: self.merge_commit,
            squash_commit: self.squash_commit,
            is_squashed: self.is_squashed,
            removes_source_branch: self.removes_source_branch,
            labels: self.labels,
            milestone: self.milestone,
            is_locked: self.is_locked,
            time_estimate: self.time_estimate,
            time_spent: self.time_spent,
            closed_at: self.closed_at,
            closed_by: one(self.closed_by, who)?,
            merged_at: self.merged_at,
            merged_by: one(self.merged_by, who)?,
            approvals,
            reactions: reactions(self.reactions, who)?,
            created_at: self.created_at,
            updated_at: self.updated_at,
        })
    }
}

impl<P> CodeNote<P> {
    /// The same with other people.
    ///
    /// # Errors
    ///
    /// Those of `who`.
    pub fn with_people<Q, E>(
        self, who: &mut impl FnMut(P) -> Result<Q, E>,
    ) -> Result<CodeNote<Q>, E> {
        Ok(CodeNote {
            number: self.number,
            key: self.key,
            thread: self.thread,
            author: one(self.author, who)?,
            text: self.text,
            spot: self.spot,
            resolved_at: self.resolved_at,
            resolved_by: one(self.resolved_by, who)?,
            reactions: reactions(self.reactions, who)?,
            created_at: self.created_at,
            updated_at: self.updated_at,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::time::Timestamp;
    use planning::transfer::Person;

    #[test]
    fn everybody_becomes_somebody_else() {
        let (at, smith) = (Timestamp::UNIX_EPOCH, person("smith"));
        let reaction = Reaction { by: Some(smith.clone()), name: "thumbsup".to_owned(), at };
        let note = CodeNote {
            number: 1,
            key: "n1".to_owned(),
            thread: "n1".to_owned(),
            author: Some(smith.clone()),
            text: "Why?".to_owned(),
            spot: None,
            resolved_at: Some(at),
            resolved_by: Some(smith),
            reactions: vec![reaction],
            created_at: at,
            updated_at: at,
        };
        let mut number = |person: Person| person.id.parse::<i64>();
        let made = note.clone().with_people(&mut number).expect("numbers");
        assert_eq!(
            (made.author, made.resolved_by, made.reactions[0].by),
            (Some(7), Some(7), Some(7))
        );
        let mut nobody = |person: Person| Err::<i64, String>(person.username);
        assert_eq!(note.with_people(&mut nobody), Err("smith".to_owned()));
    }

    fn person(username: &str) -> Person {
        Person {
            id: "7".to_owned(),
            username: username.to_owned(),
            name: None,
            email: None,
        }
    }
}
