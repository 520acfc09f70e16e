//! What people are told of a push that failed: short, without what is secret and without
//! what this machine looks like.

use crate::formats::ref_name::RefName;

/// Letters of a reason, and refs that it names.
const LONGEST: usize = 1000;
const NAMED: usize = 20;

/// What git said, for people.
pub fn told(said: &str, secrets: &[String]) -> String {
    if let Some(text) = known(said) {
        return text.to_owned();
    }
    let is_word = |line: &&str| {
        ["fatal: ", "error: ", "remote: ", "ssh: "]
            .iter()
            .any(|begin| line.starts_with(begin))
    };
    let lines: Vec<&str> = said.lines().map(str::trim).filter(is_word).collect();
    match lines.is_empty() {
        true => "git could not push there.".to_owned(),
        false => clean(&lines.join(" "), secrets),
    }
}

/// What is said often, in other words.
fn known(said: &str) -> Option<&'static str> {
    let words = [
        (
            "Permission denied (publickey",
            "The server does not let the key of this mirror in.",
        ),
        (
            "Host key verification failed",
            "The server shows another key than it is known by.",
        ),
        ("could not read Username", "The server asks for a user name and a password."),
        (
            "could not read Password",
            "The server does not take this user name and password.",
        ),
        ("Authentication failed", "The server does not take this user name and password."),
        (
            "unable to update url base from redirection",
            "The server redirects; give the address it leads to.",
        ),
        ("returned error: 30", "The server redirects; give the address it leads to."),
    ];
    words.iter().find(|(sign, _)| said.contains(sign)).map(|(_, text)| *text)
}

fn clean(text: &str, secrets: &[String]) -> String {
    let mut text = text.to_owned();
    for secret in secrets.iter().filter(|secret| !secret.is_empty()) {
        text = text.replace(secret.as_str(), "*****");
    }
    text.chars().filter(|c| !c.is_control()).take(LONGEST).collect()
}

/// Refs that stayed as they were there.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Rejected {
    /// They went another way there.
    pub diverged: Vec<String>,
    /// The server refused them, for these reasons.
    pub refused: Vec<(String, String)>,
}

impl Rejected {
    /// Adds what `git push --porcelain` answered.
    pub fn read(&mut self, answer: &str) {
        for line in answer.lines() {
            let mut parts = line.split('\t');
            let (Some("!"), Some(refs), Some(why)) = (parts.next(), parts.next(), parts.next())
            else {
                continue;
            };
            let name = refs.rsplit(':').next().unwrap_or_default().to_owned();
            match why.starts_with("[rejected]") {
                true => self.diverged.push(name),
                false => self.refused.push((name, why.to_owned())),
            }
        }
    }

    pub fn kept(&mut self, name: &RefName) {
        self.diverged.push(name.to_string());
    }

    /// What people are told, with what the server said of it; none if all went well.
    pub fn told(&self, said: &str, secrets: &[String]) -> Option<String> {
        let mut sentences = Vec::new();
        if !self.refused.is_empty() {
            let one = |(name, why): &(String, String)| format!("{name} {why}");
            let refs = list(self.refused.iter().map(one));
            sentences.push(format!("Some refs were refused by the remote: {refs}"));
            let remote = said.lines().map(str::trim).filter(|line| line.starts_with("remote: "));
            sentences.extend(remote.map(str::to_owned));
        }
        if !self.diverged.is_empty() {
            let refs = list(self.diverged.iter().cloned());
            sentences.push(format!(
                "Some refs have diverged and have not been updated on the remote: {refs}"
            ));
        }
        match sentences.is_empty() {
            true => None,
            false => Some(clean(&sentences.join(" "), secrets)),
        }
    }
}

fn list(names: impl ExactSizeIterator<Item = String>) -> String {
    let more = names.len().saturating_sub(NAMED);
    let named = names.take(NAMED).collect::<Vec<_>>().join(", ");
    match more {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_secret_is_told() {
        let secrets = ["hunter2".to_owned()];
        let said = "Cloning\nfatal: no hunter2\u{1b}[31m here\n/srv/data/x: gone\nremote: hunter2";
        assert_eq!(told(said, &secrets), "fatal: no *****[31m here remote: *****");
        assert_eq!(told("/srv/data/x: gone", &secrets), "git could not push there.");
        let asks = "fatal: could not read Username for 'http://h': terminal prompts disabled";
        assert_eq!(told(asks, &secrets), "The server asks for a user name and a password.");
        assert_eq!(told(&format!("fatal: {}", "x".repeat(5000)), &[]).len(), LONGEST);
    }

    #[test]
    fn answers_of_pushes_are_read() {
        let mut rejected = Rejected::default();
        rejected.read(
            "To http://h/x\n*\taa:refs/heads/new\t[new branch]\n\
             !\taa:refs/heads/main\t[rejected] (fetch first)\n\
             !\tbb:refs/heads/top\t[remote rejected] (pre-receive hook declined)\nDone",
        );
        assert_eq!(rejected.diverged, ["refs/heads/main"]);
        assert_eq!(rejected.refused.len(), 1);
        let told = rejected.told("remote: You may not.\nerror: failed", &[]).unwrap_or_default();
        assert_eq!(
            told,
            "Some refs were refused by the remote: refs/heads/top [remote rejected] (pre-receive \
             hook declined) remote: You may not. Some refs have diverged and have not been \
             updated on the remote: refs/heads/main"
        );
        assert_eq!(Rejected::default().told("", &[]), None);
    }
}
