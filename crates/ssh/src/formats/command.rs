//! What a session is asked to run: a word and what follows, quoted as for a shell.

use repositories::access::Service;

/// Longest text of a command, in bytes.
pub const MAX_TEXT: usize = 4096;

/// What may be run, and nothing else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Nothing: who asks is greeted.
    Greet,
    /// A fetch or a push of the repository at a path.
    Git(Service, String),
    /// An archive of it, by git's own protocol.
    Archive(String),
    /// A credential for large files over HTTP.
    LargeFiles(Service, String),
}

/// Why a text is no command of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BadCommand {
    Unknown(String),
    /// It cannot be taken apart.
    Unreadable,
}

/// Reads a command.
pub fn read(text: &[u8]) -> Result<Command, BadCommand> {
    let text = std::str::from_utf8(text).map_err(|_| BadCommand::Unreadable)?;
    if text.len() > MAX_TEXT || text.contains(|letter: char| letter.is_control()) {
        return Err(BadCommand::Unreadable);
    }
    let words = words(text)?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let unknown = || BadCommand::Unknown(words.first().copied().unwrap_or_default().to_owned());
    match words.as_slice() {
        [] => Ok(Command::Greet),
        ["git", verb, path] | [verb, path] => {
            let verb = verb.strip_prefix("git-").unwrap_or(verb);
            match Service::from_name(&format!("git-{verb}")) {
                Some(service) => Ok(Command::Git(service, (*path).to_owned())),
                None if verb == "upload-archive" => Ok(Command::Archive((*path).to_owned())),
                None => Err(unknown()),
            }
        }
        ["git-lfs-authenticate", path, "download", ..] => {
            Ok(Command::LargeFiles(Service::Fetch, (*path).to_owned()))
        }
        ["git-lfs-authenticate", path, "upload", ..] => {
            Ok(Command::LargeFiles(Service::Push, (*path).to_owned()))
        }
        _ => Err(unknown()),
    }
}

/// The words of a command, without their quotes.
fn words(text: &str) -> Result<Vec<String>, BadCommand> {
    let (mut words, mut word): (Vec<String>, Option<String>) = (Vec::new(), None);
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            ' ' => words.extend(word.take()),
            '\'' => loop {
                let word = word.get_or_insert_default();
                match letters.next().ok_or(BadCommand::Unreadable)? {
                    '\'' => break,
                    other => word.push(other),
                }
            },
            '"' => loop {
                let word = word.get_or_insert_default();
                match letters.next().ok_or(BadCommand::Unreadable)? {
                    '"' => break,
                    '\\' => word.push(letters.next().ok_or(BadCommand::Unreadable)?),
                    other => word.push(other),
                }
            },
            '\\' => {
                let next = letters.next().ok_or(BadCommand::Unreadable)?;
                word.get_or_insert_default().push(next);
            }
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_git_asks_for_is_read() {
        let fetch = |path: &str| Ok(Command::Git(Service::Fetch, path.to_owned()));
        assert_eq!(read(b"git-upload-pack '/acme/anvil.git'"), fetch("/acme/anvil.git"));
        assert_eq!(read(b"git upload-pack 'acme/anvil.git'"), fetch("acme/anvil.git"));
        assert_eq!(read(b"git-upload-pack \"acme/an'vil.git\""), fetch("acme/an'vil.git"));
        assert_eq!(read(b"git-upload-pack 'acme/an'\\''vil'"), fetch("acme/an'vil"));
        let push = Command::Git(Service::Push, "a/b.git".into());
        assert_eq!(read(b"git-receive-pack a/b.git"), Ok(push));
        let archive = Command::Archive("a/b.git".into());
        assert_eq!(read(b"git-upload-archive 'a/b.git'"), Ok(archive));
        let large = Command::LargeFiles(Service::Push, "a/b.git".into());
        assert_eq!(read(b"git-lfs-authenticate a/b.git upload"), Ok(large));
        let large = Command::LargeFiles(Service::Fetch, "a/b.git".into());
        assert_eq!(read(b"git-lfs-authenticate a/b.git download 0123"), Ok(large));
        assert_eq!(read(b" "), Ok(Command::Greet));
    }

    #[test]
    fn anything_else_is_refused() {
        for (text, name) in [
            ("sh", "sh"),
            ("git-upload-pack", "git-upload-pack"),
            ("git-upload-pack a b", "git-upload-pack"),
            ("git-lfs-authenticate a delete", "git-lfs-authenticate"),
            ("git-shell -c 'git-upload-pack a'", "git-shell"),
            ("scp -t /", "scp"),
        ] {
            assert_eq!(read(text.as_bytes()), Err(BadCommand::Unknown(name.into())), "{text}");
        }
        let long = format!("git-upload-pack {}", "a".repeat(MAX_TEXT));
        for text in ["git-upload-pack 'a", "a \"b", "a\\", "a\nb", "a\0", &long] {
            assert_eq!(read(text.as_bytes()), Err(BadCommand::Unreadable), "{text}");
        }
        assert_eq!(read(b"\xff"), Err(BadCommand::Unreadable));
    }

    proptest! {
        #[test]
        fn any_text_is_taken_or_refused(text in any::<Vec<u8>>()) {
            let _ = read(&text);
        }
    }
}
