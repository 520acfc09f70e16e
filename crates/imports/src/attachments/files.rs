//! Where files of texts lie at the place that an import comes from.

use url::{Host, Url};

/// Folders of the place that hold files of texts, below its root.
const FOLDERS: [&str; 2] = ["/user-attachments/", "/storage/user/"];
/// The same below a repository.
const OF_REPOSITORY: [&str; 2] = ["assets", "files"];
/// What begins the names of its hosts that hold nothing else.
const HOSTS: [&str; 4] = ["user-images", "private-user-images", "media", "cloud"];
/// Where the files of releases are, below a repository or the interface of one.
const OF_RELEASES: [&str; 2] = ["/releases/download/", "/releases/assets/"];

/// Where files lie, and what proves there who asks.
#[derive(Debug, Clone)]
pub struct Files {
    /// The address of the pages there.
    pub web: Url,
    /// The address of the interface there.
    pub api: Url,
    /// What is sent to both, and nowhere else.
    pub authorization: Option<String>,
    /// Whether files of texts come, beside those of releases.
    pub texts: bool,
}

impl Files {
    /// Whether what proves who asks is for the server of an address.
    pub(super) fn is_trusted(&self, url: &Url) -> bool {
        self.is_of_web(url) || self.is_of_api(url)
    }

    pub(super) fn is_of_api(&self, url: &Url) -> bool {
        url.origin() == self.api.origin()
    }

    fn is_of_web(&self, url: &Url) -> bool {
        url.origin() == self.web.origin()
    }

    /// Whether the link of a release leads to a file beside it.
    pub(super) fn is_asset(&self, link: &str) -> bool {
        let is_one = |url: Url| {
            let path = url.path();
            self.is_trusted(&url) && OF_RELEASES.iter().any(|folder| path.contains(folder))
        };
        parsed(link).is_some_and(is_one)
    }

    /// Whether an address in a text, as it is written, is that of a file.
    pub(super) fn is_file(&self, written: &str) -> bool {
        let Some(url) = parsed(written) else {
            return false;
        };
        match self.is_of_web(&url) {
            true => is_in_folder(url.path()),
            false => self.is_of_host(&url),
        }
    }

    /// Whether it is at a host that holds the files of the place.
    fn is_of_host(&self, url: &Url) -> bool {
        let (Some(Host::Domain(web)), Some(Host::Domain(host))) = (self.web.host(), url.host())
        else {
            return false;
        };
        let Some((first, rest)) = host.split_once('.') else {
            return false;
        };
        // Public ones have a domain of their own for what users bring.
        let (label, domain) = web.rsplit_once('.').unwrap_or((web, ""));
        let is_own = rest == web || rest == format!("{label}usercontent.{domain}");
        is_own && url.scheme() == self.web.scheme() && HOSTS.iter().any(|it| first.starts_with(it))
    }
}

/// Whether a path is that of a file of a text.
fn is_in_folder(path: &str) -> bool {
    if FOLDERS.iter().any(|folder| path.starts_with(folder)) {
        return true;
    }
    let parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    match parts.as_slice() {
        [_, _, folder, id, rest @ ..] => {
            let is_number = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
            OF_REPOSITORY.contains(folder) && is_number && rest.iter().any(|part| !part.is_empty())
        }
        _ => false,
    }
}

/// An address as texts have it.
pub(super) fn parsed(written: &str) -> Option<Url> {
    let url = Url::parse(&written.replace("&amp;", "&")).ok()?;
    let is_usual = matches!(url.scheme(), "http" | "https");
    let is_plain = url.username().is_empty() && url.password().is_none();
    (is_usual && is_plain).then_some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(web: &str, api: &str) -> Files {
        Files {
            web: Url::parse(web).expect("an address"),
            api: Url::parse(api).expect("an address"),
            authorization: Some("token t".into()),
            texts: true,
        }
    }

    #[test]
    fn files_of_texts_are_told_from_other_addresses() {
        let own = files("https://host.example/", "https://api.host.example/");
        for file in [
            "https://host.example/user-attachments/assets/0a-1b",
            "https://host.example/user-attachments/files/7/log.txt",
            "https://host.example/acme/anvil/files/7/log.txt",
            "https://host.example/acme/anvil/assets/7/0a-1b",
            "https://user-images.hostusercontent.example/7/1.png",
            "https://private-user-images.hostusercontent.example/7/1.png?jwt=a&amp;b=c",
            "https://media.host.example/user/7/files/1",
        ] {
            assert!(own.is_file(file), "{file}");
        }
        for other in [
            "https://host.example/acme/anvil/issues/7",
            "https://host.example/acme/anvil/files/",
            "https://host.example/acme/anvil/assets/logo/x.png",
            "https://raw.hostusercontent.example/acme/anvil/main/a.png",
            "https://host.example:8443/user-attachments/assets/0a",
            "http://host.example/user-attachments/assets/0a",
            "https://user@host.example/user-attachments/assets/0a",
            "http://169.254.169.254/user-attachments/assets/0a",
            "https://user-images.evil.example/1.png",
            "ftp://host.example/user-attachments/assets/0a",
        ] {
            assert!(!own.is_file(other), "{other}");
        }
    }

    #[test]
    fn what_proves_who_asks_goes_to_two_servers_alone() {
        let own = files("http://127.0.0.1:8001/", "http://127.0.0.1:8002/api/v3");
        let is_trusted = |text: &str| own.is_trusted(&Url::parse(text).expect("an address"));
        assert!(is_trusted("http://127.0.0.1:8001/x") && is_trusted("http://127.0.0.1:8002/x"));
        assert!(!is_trusted("http://127.0.0.1:8003/x") && !is_trusted("https://127.0.0.1:8001/x"));
        assert!(own.is_asset("http://127.0.0.1:8002/api/v3/repos/a/b/releases/assets/1"));
        assert!(!own.is_asset("http://127.0.0.1:8001/a/b/releases/tag/v1"));
        assert!(!own.is_asset("https://other.example/a/b/releases/assets/1"));
        assert!(own.is_file("http://127.0.0.1:8001/user-attachments/assets/0a"));
    }
}
