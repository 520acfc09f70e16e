//! What is asked of each new commit.

use super::check::{Judged, cut};
use super::model::{PushRule, pattern};
use crate::access::Pushing;
use crate::formats::object_id::ObjectId;
use crate::git::{PATIENCE, objects_of};
use crate::objects::Commit;
use crate::protection::Way;
use crate::receive::Quarantine;
use crate::rules::push::PushRefused;
use ::store::Tx;
use identity::model::User;
use identity::users;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::ids::fold;
use regex::Regex;
use std::collections::{HashMap, HashSet};

/// Commits read by one git.
const BATCH: usize = 500;
/// Most bytes of those of a batch.
const MOST: usize = 64 * 1024 * 1024;
/// What signs a commit off.
const SIGN_OFF: &str = "Signed-off-by:.+<.+@.+>";

/// A rule as it is asked of commits.
pub(super) struct Judge {
    rule: PushRule,
    message: Option<Regex>,
    negative: Option<Regex>,
    email: Option<Regex>,
    sign_off: Option<Regex>,
    must_be_signed: bool,
    pusher: Option<User>,
}

/// Whose addresses they are.
#[derive(Default)]
struct People {
    /// Who confirmed an address, by the address.
    owners: HashMap<String, i64>,
    /// Addresses of who pushes, confirmed or not.
    own: HashSet<String>,
}

impl Judge {
    /// # Errors
    ///
    /// If a pattern is none, as who pushes is told.
    pub fn of(rule: &PushRule, to: &Pushing) -> Result<Judge, String> {
        let is_signed_off = rule.reject_non_dco_commits == Some(true);
        Ok(Judge {
            message: pattern(&rule.commit_message_regex)?,
            negative: pattern(&rule.commit_message_negative_regex)?,
            email: pattern(&rule.author_email_regex)?,
            sign_off: pattern(if is_signed_off { SIGN_OFF } else { "" })?,
            must_be_signed: rule.reject_unsigned_commits == Some(true) && to.way == Way::Git,
            pusher: to.viewer.user().cloned(),
            rule: rule.clone(),
        })
    }

    pub fn asks_nothing(&self) -> bool {
        let patterns = [&self.message, &self.negative, &self.email, &self.sign_off];
        patterns.into_iter().all(Option::is_none)
            && !self.must_be_signed
            && !self.rule.commit_committer_name_check
            && !self.asks_for_people()
    }

    fn asks_for_people(&self) -> bool {
        self.rule.member_check || self.asks_for_committer()
    }

    fn asks_for_committer(&self) -> bool {
        self.rule.commit_committer_check == Some(true)
    }

    fn judge(&self, commit: &Commit, people: &People) -> Result<(), String> {
        self.message(commit)?;
        self.address("Committer", &commit.committer.email)?;
        self.address("Author", &commit.author.email)?;
        if self.asks_for_committer() {
            self.committer(&commit.committer.email, people)?;
        }
        self.name(commit)?;
        if let Some(regex) = &self.sign_off
            && !regex.is_match(&commit.message)
        {
            return Err("Commit message must contain a DCO signoff".into());
        }
        if self.must_be_signed && !commit.is_signed {
            return Err("Commit must be signed with a GPG key".into());
        }
        if self.rule.member_check {
            member("Author", &commit.author.email, people)?;
            member("Committer", &commit.committer.email, people)?;
        }
        Ok(())
    }

    fn message(&self, commit: &Commit) -> Result<(), String> {
        let message = commit.message.as_str();
        if self.message.as_ref().is_some_and(|regex| !regex.is_match(message)) {
            let text = &self.rule.commit_message_regex;
            return Err(format!("Commit message does not follow the pattern '{text}'"));
        }
        if self.negative.as_ref().is_some_and(|regex| regex.is_match(message)) {
            let text = &self.rule.commit_message_negative_regex;
            return Err(format!("Commit message contains the forbidden pattern '{text}'"));
        }
        Ok(())
    }

    fn address(&self, whose: &str, email: &str) -> Result<(), String> {
        match &self.email {
            Some(regex) if !regex.is_match(email) => {
                let (text, email) = (&self.rule.author_email_regex, cut(email));
                Err(format!("{whose}'s email '{email}' does not follow the pattern '{text}'"))
            }
            _ => Ok(()),
        }
    }

    /// The committer is who pushes, by an address that they confirmed.
    fn committer(&self, email: &str, people: &People) -> Result<(), String> {
        let Some(pusher) = &self.pusher else {
            return Ok(());
        };
        let folded = fold(email);
        if people.owners.get(&folded) == Some(&pusher.id) {
            return Ok(());
        }
        let email = cut(email);
        Err(match people.own.contains(&folded) {
            true => format!("Committer email '{email}' is not verified."),
            false => format!(
                "You cannot push commits for '{email}'. You can only push commits if the \
                 committer email is one of your own verified emails."
            ),
        })
    }

    /// Who wrote and committed it is called as who pushes.
    fn name(&self, commit: &Commit) -> Result<(), String> {
        let is_of_one = fold(&commit.author.email) == fold(&commit.committer.email);
        match &self.pusher {
            Some(pusher)
                if self.rule.commit_committer_name_check
                    && is_of_one
                    && commit.author.name != pusher.name =>
            {
                Err("Your git username is inconsistent with Service account name".into())
            }
            _ => Ok(()),
        }
    }
}

fn member(whose: &str, email: &str, people: &People) -> Result<(), String> {
    match people.owners.contains_key(&fold(email)) {
        true => Ok(()),
        false => Err(format!("{whose} '{}' is not a member of team", cut(email))),
    }
}

/// Judges commits, until one is refused.
pub(super) async fn check(
    app: &App, quarantine: &Quarantine, judge: &Judge, new: &[ObjectId],
) -> Result<Judged> {
    if judge.asks_nothing() {
        return Ok(Ok(()));
    }
    for ids in new.chunks(BATCH) {
        let Some(commits) = read(app, quarantine, ids).await? else {
            return Ok(Err(PushRefused("The commit messages are too long".into())));
        };
        let people = match judge.asks_for_people() {
            true => people(app, judge, &commits).await?,
            false => People::default(),
        };
        let judged = commits.iter().try_for_each(|commit| judge.judge(commit, &people));
        if let Err(text) = judged {
            return Ok(Err(PushRefused(text)));
        }
    }
    Ok(Ok(()))
}

/// Some commits; none if they are too large together.
async fn read(app: &App, quarantine: &Quarantine, ids: &[ObjectId]) -> Result<Option<Vec<Commit>>> {
    let asked: String = ids.iter().map(|id| format!("{id}\n")).collect();
    let reading = quarantine.git(app).await?.args(["cat-file", "--batch"]);
    let answered = match reading.ask(asked.into_bytes(), MOST, PATIENCE).await {
        Err(Error::TooLarge) => return Ok(None),
        answered => answered?,
    };
    answered.ended.check("git cat-file")?;
    let objects = objects_of(&answered.output);
    let commits = ids.iter().zip(objects).map(|(id, content)| Commit::of(*id, content?));
    let commits: Option<Vec<Commit>> = commits.collect();
    match commits {
        Some(commits) if commits.len() == ids.len() => Ok(Some(commits)),
        _ => Err(Error::internal("a commit of a push cannot be read")),
    }
}

async fn people(app: &App, judge: &Judge, commits: &[Commit]) -> Result<People> {
    let emails = commits.iter().flat_map(|one| [&one.author.email, &one.committer.email]);
    let emails: HashSet<String> = emails.map(|email| fold(email)).collect();
    let emails: Vec<String> = emails.into_iter().collect();
    let pusher = judge.pusher.clone();
    app.read(move |tx: &mut Tx<'_>| {
        let own = match &pusher {
            Some(user) => users::emails(tx, user.id)?,
            None => Vec::new(),
        };
        let primary = pusher.iter().map(|user| fold(&user.email));
        Ok(People {
            owners: users::confirmed_owners(tx, &emails)?,
            own: own.iter().map(|one| fold(&one.email)).chain(primary).collect(),
        })
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::{CodeTarget, Target};
    use identity::viewer::Viewer;

    fn commit(message: &str, email: &str) -> Commit {
        let text = format!(
            "tree {0}\nauthor Ada <{email}> 1700000000 +0000\n\
             committer Bob <bob@example.com> 1700000000 +0000\n\n{message}\n",
            "1".repeat(40)
        );
        let id = "2".repeat(40).parse().expect("an object");
        Commit::of(id, text.as_bytes()).expect("a commit")
    }

    fn said(rule: &PushRule, commit: &Commit) -> Option<String> {
        let to = Pushing {
            viewer: Viewer::Anonymous,
            repository_id: 1,
            default_branch: None,
            way: Way::Git,
            options: Vec::new(),
            target: Target::Code(CodeTarget {
                project_id: 1,
                deploy_key_id: None,
                is_opened: false,
                has_large_files: false,
            }),
        };
        let judge = Judge::of(rule, &to).expect("a good rule");
        let owners = [("ada@example.com".to_owned(), 5), ("bob@example.com".to_owned(), 6)];
        let people = People { owners: owners.into(), own: HashSet::new() };
        judge.judge(commit, &people).err()
    }

    #[test]
    fn each_wish_has_its_words() {
        let on = PushRule::default();
        let ada = commit("Fix the horn", "ada@example.com");
        let message = PushRule { commit_message_regex: r"^Closes \d+$".into(), ..on.clone() };
        assert_eq!(
            said(&message, &ada).as_deref(),
            Some(r"Commit message does not follow the pattern '^Closes \d+$'")
        );
        assert_eq!(said(&message, &commit("Fix\n\nCloses 5\nMore", "a@b")), None);
        let negative = PushRule { commit_message_negative_regex: "horn".into(), ..on.clone() };
        assert_eq!(
            said(&negative, &ada).as_deref(),
            Some("Commit message contains the forbidden pattern 'horn'")
        );
        let email = PushRule { author_email_regex: "^ada@".into(), ..on.clone() };
        assert_eq!(
            said(&email, &ada).as_deref(),
            Some("Committer's email 'bob@example.com' does not follow the pattern '^ada@'")
        );
        let email = PushRule { author_email_regex: "bob".into(), ..on.clone() };
        assert_eq!(
            said(&email, &ada).as_deref(),
            Some("Author's email 'ada@example.com' does not follow the pattern 'bob'")
        );
        let member = PushRule { member_check: true, ..on.clone() };
        assert_eq!(said(&member, &ada), None);
        assert_eq!(
            said(&member, &commit("x", "eve@example.com")).as_deref(),
            Some("Author 'eve@example.com' is not a member of team")
        );
        let dco = PushRule { reject_non_dco_commits: Some(true), ..on.clone() };
        assert_eq!(said(&dco, &ada).as_deref(), Some("Commit message must contain a DCO signoff"));
        assert_eq!(said(&dco, &commit("x\n\nSigned-off-by: Ada <a@b>", "a@b")), None);
        let signed = PushRule { reject_unsigned_commits: Some(true), ..on };
        assert_eq!(said(&signed, &ada).as_deref(), Some("Commit must be signed with a GPG key"));
    }
}
