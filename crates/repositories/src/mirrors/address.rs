//! Where a mirror is: what its address may be, what of it is secret, and what is shown.

use kernel::error::{Error, Result};
use kernel::secrets::Secret;
use percent_encoding::percent_decode_str;
use url::Url;

/// Letters of an address.
const LONGEST: usize = 1024;
/// Low ports that git is served at.
const PORTS: [u16; 3] = [22, 80, 443];
/// What stands for what is secret.
const MASK: &str = "*****";

/// How git may reach what it is to push to, and what it is to fetch from.
pub const PUSHED_BY: &[&str] = &["http", "https", "ssh"];
pub const FETCHED_BY: &[&str] = &["http", "https", "ssh", "git"];

/// An address that was read.
#[derive(Debug)]
pub struct Address {
    /// As git is given it: without what is secret.
    pub url: Url,
    /// As people see it.
    pub shown: String,
    pub credentials: Credentials,
}

/// What an address says of who asks.
#[derive(Debug, PartialEq, Eq)]
pub enum Credentials {
    None,
    /// `user:password`.
    Given(Secret),
    /// What people were shown came back: those there are.
    AsTheyAre,
}

impl Address {
    /// Reads one of these schemes.
    ///
    /// # Errors
    ///
    /// `Invalid` if git may not go there.
    pub fn read(text: &str, schemes: &[&str]) -> Result<Address> {
        let read = parse(text, schemes);
        read.map_err(|problem| Error::invalid("url", format!("is blocked: {problem}")))
    }

    pub fn is_ssh(&self) -> bool {
        self.url.scheme() == "ssh"
    }
}

/// Whether two addresses are of one server.
pub fn is_same_server(one: &Url, other: &Url) -> bool {
    let server = |url: &Url| {
        let host = url.host_str().map(str::to_owned);
        (url.scheme().to_owned(), host, url.port_or_known_default())
    };
    server(one) == server(other)
}

/// The port of an address.
pub fn port(url: &Url) -> u16 {
    let usual = if url.scheme() == "git" { 9418 } else { 22 };
    url.port_or_known_default().unwrap_or(usual)
}

/// An address with what proves who asks, which was given apart from it.
pub fn joined(text: &str, user: &str, password: &str) -> Result<String> {
    if user.is_empty() && password.is_empty() {
        return Ok(text.to_owned());
    }
    let wrong = || Error::invalid("url", "is blocked: URI is invalid");
    let mut url = Url::parse(text).map_err(|_| wrong())?;
    url.set_username(user).map_err(|()| wrong())?;
    let password = Some(password).filter(|text| !text.is_empty());
    url.set_password(password).map_err(|()| wrong())?;
    Ok(url.into())
}

/// The same with a text for people where git may not go there.
pub(super) fn parse(text: &str, schemes: &[&str]) -> Result<Address, String> {
    let invalid = || "URI is invalid".to_owned();
    if text.chars().count() > LONGEST {
        return Err(format!("URI is too long (maximum is {LONGEST} characters)"));
    }
    if text.chars().any(|c| c.is_whitespace() || c.is_control() || c == '\\') {
        return Err(invalid());
    }
    let mut url = Url::parse(text).map_err(|_| invalid())?;
    if !schemes.contains(&url.scheme()) {
        return Err(format!("Only allowed schemes are {}", schemes.join(", ")));
    }
    let host = url.host_str().unwrap_or_default();
    if !is_host(host) {
        return Err("Hostname or IP address invalid".into());
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(invalid());
    }
    if port(&url) < 1024 && !PORTS.contains(&port(&url)) {
        return Err("Only allowed ports are 22, 80, 443, and any over 1024".into());
    }
    match url.scheme() {
        "ssh" => return ssh(text, url),
        "git" => return plain(text, url),
        _ => {}
    }
    let credentials = credentials(&url);
    let shown = match credentials {
        Credentials::None => text.to_owned(),
        _ => masked(text, url.password().is_some()).ok_or_else(invalid)?,
    };
    url.set_username("").map_err(|()| invalid())?;
    url.set_password(None).map_err(|()| invalid())?;
    Ok(Address { url, shown, credentials })
}

/// Git's own protocol knows nobody.
fn plain(text: &str, url: Url) -> Result<Address, String> {
    if !url.username().is_empty() || url.password().is_some() {
        return Err("URI is invalid: git:// knows no users".into());
    }
    Ok(Address { url, shown: text.to_owned(), credentials: Credentials::None })
}

/// The name of who asks over SSH is no secret; a password cannot be said there.
fn ssh(text: &str, url: Url) -> Result<Address, String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let user = url.username();
    if url.password().is_some() || user.starts_with('-') || !user.chars().all(is_name) {
        return Err("URI is invalid: over SSH a key proves who asks".into());
    }
    Ok(Address { url, shown: text.to_owned(), credentials: Credentials::None })
}

/// A name or an address, and nothing that a program could take for something else.
fn is_host(host: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || ".-_:[]".contains(c);
    !host.is_empty() && !host.starts_with('-') && host.chars().all(is_part)
}

fn credentials(url: &Url) -> Credentials {
    let plain = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let (user, password) = (plain(url.username()), url.password().map(plain));
    let is_mask = user == MASK && password.as_deref().is_none_or(|it| it == MASK);
    match password {
        None if user.is_empty() => Credentials::None,
        _ if is_mask => Credentials::AsTheyAre,
        password => {
            Credentials::Given(Secret::new(format!("{user}:{}", password.unwrap_or_default())))
        }
    }
}

/// The text with what stands before the host masked.
fn masked(text: &str, has_password: bool) -> Option<String> {
    let (scheme, rest) = text.split_once("://")?;
    let end = rest.find('/').unwrap_or(rest.len());
    let host = &rest[rest[..end].rfind('@')?..];
    let mask = if has_password { "*****:*****" } else { MASK };
    Some(format!("{scheme}://{mask}{host}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_secret_is_taken_out() {
        for (text, url, shown, secret) in [
            ("https://host.example/a.git", "https://host.example/a.git", "", ""),
            ("https://host.example", "https://host.example/", "", ""),
            (
                "https://ada:s%2Fe%40c@Host.example:8443/a.git",
                "https://host.example:8443/a.git",
                "https://*****:*****@Host.example:8443/a.git",
                "ada:s/e@c",
            ),
            (
                "http://token@127.0.0.1:3000/a.git",
                "http://127.0.0.1:3000/a.git",
                "http://*****@127.0.0.1:3000/a.git",
                "token:",
            ),
            (
                "http://:token@[::1]:3000/a@b.git",
                "http://[::1]:3000/a@b.git",
                "http://*****:*****@[::1]:3000/a@b.git",
                ":token",
            ),
            ("ssh://git@host.example/a.git", "ssh://git@host.example/a.git", "", ""),
        ] {
            let read = Address::read(text, PUSHED_BY).expect(text);
            assert_eq!(read.url.as_str(), url);
            assert_eq!(read.shown, if shown.is_empty() { text } else { shown });
            match read.credentials {
                Credentials::Given(it) => assert_eq!(it.expose(), secret, "{text}"),
                other => assert!(other == Credentials::None && secret.is_empty(), "{text}"),
            }
        }
        let masked = "https://*****:*****@host.example/a.git";
        let back = Address::read(masked, PUSHED_BY).expect("it is read");
        assert_eq!(back.credentials, Credentials::AsTheyAre);
    }

    #[test]
    fn other_addresses_are_refused() {
        for text in [
            "",
            "host",
            "git@host.example:a.git",
            "file:///etc",
            "git://host.example/a",
            "ext::sh -c x",
            "-oProxyCommand=x",
            "https://",
            "https://host.example:25/a",
            "https://host.example/a b",
            "https://host.example/a\nb",
            "https://host.example\\@other.example/",
            "https://host.example/a?token=x",
            "https://host.example/a#x",
            "ssh://-oProxyCommand=x/a",
            "ssh://a:b@host.example/a",
            "ssh://-x@host.example/a",
            "ssh://ho%20st/a",
        ] {
            assert!(Address::read(text, PUSHED_BY).is_err(), "{text}");
            let is_git = text.starts_with("git:");
            assert_eq!(Address::read(text, FETCHED_BY).is_ok(), is_git, "{text}");
        }
        for text in ["git://ada@host.example/a", "git://a:b@host.example/a", "git://"] {
            assert!(Address::read(text, FETCHED_BY).is_err(), "{text}");
        }
    }

    #[test]
    fn what_proves_who_asks_may_come_apart() {
        for (text, user, password, whole) in [
            ("https://host/a.git", "ada", "s/e@c", "https://ada:s%2Fe%40c@host/a.git"),
            ("https://old:x@host/a.git", "ada", "", "https://ada@host/a.git"),
            ("https://old:x@host/a.git", "", "", "https://old:x@host/a.git"),
        ] {
            assert_eq!(joined(text, user, password).expect(text), whole);
        }
        assert!(joined("host", "ada", "x").is_err());
    }

    #[test]
    fn servers_are_told_apart() {
        let same = |one: &str, other: &str| {
            is_same_server(&Url::parse(one).unwrap(), &Url::parse(other).unwrap())
        };
        assert!(same("https://host/a", "https://host:443/b"));
        assert!(!same("https://host/a", "http://host/a"));
        assert!(!same("https://host/a", "https://host:8443/a"));
        assert!(!same("https://host/a", "https://other/a"));
    }
}
