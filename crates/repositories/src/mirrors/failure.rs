//! What people are told of what failed: short, without what is secret and without what
//! this machine looks like.

/// Letters of a reason, and refs that it names.
const LONGEST: usize = 1000;
const NAMED: usize = 20;

/// What git said, for people; `or` where nothing of it is for them.
pub fn told(said: &str, secrets: &[String], or: &str) -> String {
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
        true => or.to_owned(),
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
        (
            "not valid: is this a git repository?",
            "There is no git repository at this address.",
        ),
        ("Out of memory", "The server sends too much."),
        ("couldn't find remote ref", "The refs there changed meanwhile."),
        ("returned error: 30", "The server redirects; give the address it leads to."),
    ];
    words.iter().find(|(sign, _)| said.contains(sign)).map(|(_, text)| *text)
}

/// Whether what failed, as [`told`] tells it, may go well later.
pub fn may_pass(text: &str) -> bool {
    const SIGNS: [&str; 17] = [
        "cannot be resolved",
        "did not answer in time",
        "The connection failed",
        "Could not resolve host",
        "Couldn't connect",
        "Failed to connect",
        "Connection refused",
        "Connection reset",
        "Connection timed out",
        "Operation timed out",
        "Operation too slow",
        "early EOF",
        "unexpected disconnect",
        "returned error: 429",
        "returned error: 5",
        "The refs there changed meanwhile",
        "the server answered 5",
    ];
    SIGNS.iter().any(|sign| text.contains(sign))
}

/// Whether there is no repository at all.
pub fn is_absent(text: &str) -> bool {
    let says_so = text.contains("repository '") && text.ends_with("not found");
    says_so || text.contains("Repository not found") || text.contains("returned error: 404")
}

/// A text without what is secret, and not too long.
pub fn clean(text: &str, secrets: &[String]) -> String {
    let mut text = text.to_owned();
    for secret in secrets.iter().filter(|secret| !secret.is_empty()) {
        text = text.replace(secret.as_str(), "*****");
    }
    text.chars().filter(|c| !c.is_control()).take(LONGEST).collect()
}

/// Some of these names, and how many more there are.
pub fn list(names: impl ExactSizeIterator<Item = String>) -> String {
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
        let told = |said: &str, secrets: &[String]| told(said, secrets, "git failed.");
        let secrets = ["hunter2".to_owned()];
        let said = "Cloning\nfatal: no hunter2\u{1b}[31m here\n/srv/data/x: gone\nremote: hunter2";
        assert_eq!(told(said, &secrets), "fatal: no *****[31m here remote: *****");
        assert_eq!(told("/srv/data/x: gone", &secrets), "git failed.");
        let asks = "fatal: could not read Username for 'http://h': terminal prompts disabled";
        assert_eq!(told(asks, &secrets), "The server asks for a user name and a password.");
        assert_eq!(told(&format!("fatal: {}", "x".repeat(5000)), &[]).len(), LONGEST);
    }

    #[test]
    fn some_failures_pass_and_some_say_that_there_is_nothing() {
        for text in [
            "The host x.example cannot be resolved.",
            "fatal: unable to access 'http://h/': The requested URL returned error: 503",
            "fatal: unable to access 'http://h/': Failed to connect to h port 80",
        ] {
            assert!(may_pass(text) && !is_absent(text), "{text}");
        }
        for text in [
            "fatal: repository 'http://h/a.wiki.git/' not found",
            "remote: Repository not found. fatal: repository 'http://h/a/' not found",
            "fatal: unable to access 'http://h/': The requested URL returned error: 404",
        ] {
            assert!(is_absent(text) && !may_pass(text), "{text}");
        }
        let refused = "The server does not take this user name and password.";
        assert!(!may_pass(refused) && !is_absent(refused));
    }

    #[test]
    fn some_names_stand_for_many() {
        let names = |count: usize| (0..count).map(|n| n.to_string());
        assert_eq!(list(names(2)), "0, 1");
        assert!(list(names(NAMED + 3)).ends_with("18, 19 and 3 more"));
    }
}
