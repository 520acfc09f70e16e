//! The same things of other people: those outside become users here, and the other way.

use super::model::{Event, Issue, Note, Reaction};

impl<P> Reaction<P> {
    /// The same, of whom `who` says.
    ///
    /// # Errors
    ///
    /// What `who` fails with.
    pub fn with_people<Q, E>(
        self, who: &mut impl FnMut(P) -> Result<Q, E>,
    ) -> Result<Reaction<Q>, E> {
        let by = self.by.map(who).transpose()?;
        Ok(Reaction { by, name: self.name, at: self.at })
    }
}

fn of_all<P, Q, E>(
    reactions: Vec<Reaction<P>>, who: &mut impl FnMut(P) -> Result<Q, E>,
) -> Result<Vec<Reaction<Q>>, E> {
    let mut changed = Vec::with_capacity(reactions.len());
    for reaction in reactions {
        changed.push(reaction.with_people(&mut *who)?);
    }
    Ok(changed)
}

impl<P> Issue<P> {
    /// The same, of whom `who` says.
    ///
    /// # Errors
    ///
    /// What `who` fails with.
    pub fn with_people<Q, E>(self, who: &mut impl FnMut(P) -> Result<Q, E>) -> Result<Issue<Q>, E> {
        let mut assignees = Vec::with_capacity(self.assignees.len());
        for person in self.assignees {
            assignees.push(who(person)?);
        }
        Ok(Issue {
            number: self.number,
            title: self.title,
            description: self.description,
            author: self.author.map(&mut *who).transpose()?,
            assignees,
            is_closed: self.is_closed,
            closed_at: self.closed_at,
            closed_by: self.closed_by.map(&mut *who).transpose()?,
            labels: self.labels,
            milestone: self.milestone,
            is_confidential: self.is_confidential,
            is_locked: self.is_locked,
            issue_type: self.issue_type,
            weight: self.weight,
            due_date: self.due_date,
            time_estimate: self.time_estimate,
            time_spent: self.time_spent,
            links: self.links,
            reactions: of_all(self.reactions, who)?,
            created_at: self.created_at,
            updated_at: self.updated_at,
        })
    }
}

impl<P> Note<P> {
    /// The same, of whom `who` says.
    ///
    /// # Errors
    ///
    /// What `who` fails with.
    pub fn with_people<Q, E>(self, who: &mut impl FnMut(P) -> Result<Q, E>) -> Result<Note<Q>, E> {
        Ok(Note {
            on: self.on,
            key: self.key,
            thread: self.thread,
            author: self.author.map(&mut *who).transpose()?,
            text: self.text,
            is_internal: self.is_internal,
            is_system: self.is_system,
            resolved_at: self.resolved_at,
            resolved_by: self.resolved_by.map(&mut *who).transpose()?,
            reactions: of_all(self.reactions, who)?,
            created_at: self.created_at,
            updated_at: self.updated_at,
        })
    }
}

impl<P> Event<P> {
    /// The same, of whom `who` says.
    ///
    /// # Errors
    ///
    /// What `who` fails with.
    pub fn with_people<Q, E>(self, who: &mut impl FnMut(P) -> Result<Q, E>) -> Result<Event<Q>, E> {
        let by = self.by.map(who).transpose()?;
        Ok(Event { on: self.on, key: self.key, by, at: self.at, what: self.what })
    }
}
