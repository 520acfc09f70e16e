//! What a server made of a push.

use crate::formats::ref_name::RefName;
use crate::mirrors::failure::{clean, list};

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

#[cfg(test)]
mod tests {
    use super::*;

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
