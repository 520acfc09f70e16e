//! How the program is started: flags, then environment, then one TOML file,
//! then the defaults written here. Nothing else reads the environment.

use crate::Outcome;
use imports::settings::Addresses;
use kernel::error::Error;
use kernel::http::connections::ConnectionLimits;
use kernel::incoming_mail::IncomingMail;
use kernel::time::Clock;
use serde::Deserialize;
use std::fmt::Write as _;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The file read when it exists and no other is named.
pub const FILE: &str = "tenon.toml";

/// Characters of a token that mail servers show.
const SHORTEST_TOKEN: usize = 16;

/// One key of the file: its name, a value to show, and the lines above it.
struct Key {
    name: &'static str,
    shown: &'static str,
    about: &'static str,
}

/// Declares the settings: the help of the command line, then
/// `name: type, variable, what a value is => the value in the sample file, the lines above it`.
macro_rules! settings {
    ($(#[$help:meta] $name:ident: $ty:ty, $env:literal, $unit:literal
        $(, $option:ident = $value:literal)? => $shown:literal, $about:literal;)*) => {
        /// What may be said on the command line, in the environment or in the file.
        #[derive(Debug, Clone, Default, Deserialize, clap::Args)]
        #[serde(default)]
        pub struct Given {$(
            #[$help]
            #[arg(long, global = true, env = $env, value_name = $unit $(, $option = $value)?)]
            pub $name: Option<$ty>,
        )*}

        impl Given {
            /// Takes from `file` what is not said here.
            fn over(self, file: Given) -> Given {
                Given { $($name: self.$name.or(file.$name)),* }
            }
        }

        const KEYS: &[Key] = &[$(
            Key { name: stringify!($name), shown: $shown, about: $about },
        )*];
    };
}

settings! {
    /// Directory of the database, the files, the mail and the keys [default: ./data]
    data: PathBuf, "TENON_DATA", "DIR" => r#""./data""#,
        "Directory of the database, the files, the mail and the keys.";
    /// Address to listen on; port 0 takes a free one [default: 127.0.0.1:8080]
    listen: String, "TENON_LISTEN", "ADDR" => r#""127.0.0.1:8080""#,
        "Address to listen on; port 0 takes a free one.";
    /// Address to serve git over SSH on, such as 0.0.0.0:2222 [default: none]
    ssh_listen: String, "TENON_SSH_LISTEN", "ADDR" => r#""0.0.0.0:2222""#,
        "Address to serve git over SSH on; port 0 takes a free one. Default: none.";
    /// Port that users reach SSH at, if it is another [default: that of ssh_listen]
    ssh_port: u16, "TENON_SSH_PORT", "PORT" => "22",
        "Port that users reach SSH at, where another is led to the address above.";
    /// The address users see, as behind a proxy [default: http://LISTEN]
    external_url: String, "TENON_EXTERNAL_URL", "URL" => r#""https://tenon.example.com""#,
        "The address users see, without a path. Default: http:// and the address above.";
    /// sqlite:PATH or postgres://USER@HOST/NAME [default: SQLite in the data directory]
    database_url: String, "TENON_DATABASE_URL", "URL" => r#""postgres://tenon@localhost/tenon""#,
        "sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME. Default: SQLite in the data directory.";
    /// Where files are kept: file:///DIR or s3://BUCKET/PREFIX [default: in the data directory]
    blobs_url: String, "TENON_BLOBS_URL", "URL" => r#""s3://bucket/prefix""#,
        "Where files are kept: file:///DIR or s3://BUCKET/PREFIX (with the usual AWS_…\n\
         # variables). Default: in the data directory.";
    /// Another place for repositories, NAME=URL with a URL like that of --blobs-url; may be repeated
    storage: Vec<String>, "TENON_STORAGES", "NAME=URL", value_delimiter = ','
        => r#"["fast=file:///mnt/fast", "far=s3://bucket/far"]"#,
        "Places for repositories besides the one above, which is called default. Which new\n\
         # repositories lie where is the setting repository_storages_weighted. Default: none.";
    /// Directory of copies of repositories, which may be deleted [default: in the data directory]
    cache: PathBuf, "TENON_CACHE", "DIR" => r#""./data/cache""#,
        "Directory of this server's copies of repositories. It may be deleted at any time.\n\
         # Best on the disk of the files. Default: in the data directory.";
    /// Bytes that these copies may take [default: 10737418240]
    cache_size: u64, "TENON_CACHE_SIZE", "BYTES" => "10737418240",
        "Bytes that these copies may take; those not asked for longest go first.";
    /// file:///DIR or smtp(s)://USER:PASSWORD@HOST:PORT [default: files in the data directory]
    mail_url: String, "TENON_MAIL_URL", "URL" => r#""smtps://user:password@mail.example.com""#,
        "file:///DIR, smtp://… or smtps://…. Default: .eml files in the data directory.";
    /// Sender of all mail [default: tenon@ the host of the external address]
    mail_from: String, "TENON_MAIL_FROM", "ADDRESS" => r#""tenon@example.com""#,
        "Sender of all mail. Default: tenon@ the host of the external address.";
    /// Where answers to mails come to, with KEY in it: reply+KEY@example.com [default: none]
    incoming_mail_address: String, "TENON_INCOMING_MAIL_ADDRESS", "ADDRESS"
        => r#""reply+KEY@example.com""#,
        "Where answers to mails come to; each mail has its own KEY. Default: none, and\n\
         # nobody can answer by mail.";
    /// A mailbox with these answers: imap(s)://USER:PASSWORD@HOST:PORT/MAILBOX [default: none]
    incoming_mail_url: String, "TENON_INCOMING_MAIL_URL", "URL"
        => r#""imaps://reply:password@mail.example.com/INBOX""#,
        "A mailbox with these answers, looked into twice a minute: imaps://… or imap://…\n\
         # (add ?tls=required for STARTTLS, ?delete=true to have what is read removed).";
    /// What a mail server shows that hands answers over itself [default: none]
    incoming_mail_token: String, "TENON_INCOMING_MAIL_TOKEN", "TOKEN" => r#""a-secret-of-sixteen-or-more""#,
        "What a mail server shows that hands answers over itself, by POST to\n\
         # /-/incoming_mail. Better set in the environment.";
    /// Authorities of your own whose certificates are believed, in PEM [default: none]
    ca_file: PathBuf, "TENON_CA_FILE", "FILE" => r#""/etc/tenon/authorities.pem""#,
        "Authorities of your own, in PEM, whose certificates are believed besides those of\n\
         # the usual ones: of mail servers, of the mailbox, and of servers that are called\n\
         # over https. Default: none.";
    /// Proxies whose X-Forwarded-For is believed, separated by commas [default: none]
    trusted_proxies: Vec<IpAddr>, "TENON_TRUSTED_PROXIES", "IP", value_delimiter = ','
        => r#"["127.0.0.1"]"#,
        "Proxies whose X-Forwarded-For is believed. Default: none.";
    /// Interface of provider A, which projects are imported from [default: the public one]
    provider_a_api_url: String, "TENON_PROVIDER_A_API_URL", "URL" => r#""https://api.provider-a.example""#,
        "Interface of provider A, which projects are imported from where nobody names another\n\
         # host. Default: the public one.";
    /// Where git finds the repositories of provider A [default: the public one]
    provider_a_git_url: String, "TENON_PROVIDER_A_GIT_URL", "URL" => r#""https://provider-a.example""#,
        "Where git finds the repositories of provider A. Default: the public one.";
    /// Interface of provider B's cloud, which projects are imported from [default: the public one]
    provider_b_cloud_api_url: String, "TENON_PROVIDER_B_CLOUD_API_URL", "URL"
        => r#""https://api.provider-b.example/2.0""#,
        "Interface of the cloud of provider B. Default: the public one.";
    /// Where git finds the repositories of provider B's cloud [default: the public one]
    provider_b_cloud_git_url: String, "TENON_PROVIDER_B_CLOUD_GIT_URL", "URL"
        => r#""https://provider-b.example""#,
        "Where git finds the repositories of provider B's cloud. Default: the public one.";
    /// What is logged: error, warn, info, debug, or a filter per target [default: warn]
    log: String, "TENON_LOG", "FILTER" => r#""warn""#,
        "What is logged: error, warn, info, debug, or a filter per target.";
    /// Shape of log lines: text or json [default: text]
    log_format: String, "TENON_LOG_FORMAT", "FORMAT" => r#""text""#,
        "Shape of log lines: text or json.";
    /// Background jobs that run at the same time [default: 4]
    workers: usize, "TENON_WORKERS", "N" => "4",
        "Background jobs that run at the same time.";
    /// Writes that share one commit on SQLite at most [default: 256]
    group_size: usize, "TENON_GROUP_SIZE", "N" => "256",
        "Writes that share one commit on SQLite at most.";
    /// Folder with the npm packages of GraphiQL [default: our own, smaller explorer]
    explorer_dir: PathBuf, "TENON_EXPLORER_DIR", "DIR" => r#""/usr/share/tenon/node_modules""#,
        "Folder with the npm packages of GraphiQL (graphiql 4.1.2, react and react-dom\n\
         # 18.3.1), to have it as the GraphQL explorer. Default: our own, smaller one.";
    /// Connections at the same time; fewer where the limit of open files is low [default: 4096]
    max_connections: usize, "TENON_MAX_CONNECTIONS", "N" => "4096",
        "Connections at the same time. Where the limit of open files is low there are\n\
         # fewer: each may open a file besides, and 128 files stay for everything else.";
    /// Of them, those of one address that is no trusted proxy [default: 256]
    max_connections_per_address: usize, "TENON_MAX_CONNECTIONS_PER_ADDRESS", "N" => "256",
        "Of them, those of one address (of IPv6, of its first 64 bits). Half of all at\n\
         # most; trusted proxies are not counted.";
    /// Seconds that the head of a request may take [default: 10]
    head_timeout: u64, "TENON_HEAD_TIMEOUT", "SECONDS" => "10",
        "Seconds that the head of a request may take, and that a new connection may be\n\
         # silent. Two while more than half of the connections, or of an address's, are taken.";
    /// Seconds in which a body must bring 16 KiB or end, and an answer be taken on [default: 30]
    transfer_timeout: u64, "TENON_TRANSFER_TIMEOUT", "SECONDS" => "30",
        "Seconds in which a body must bring 16 KiB or its end, and some of an answer must\n\
         # be taken.";
    /// Seconds that a connection is kept between requests [default: 75]
    idle_timeout: u64, "TENON_IDLE_TIMEOUT", "SECONDS" => "75",
        "Seconds that a connection is kept between two requests, with the same exception.";
}

/// Everything the program was told, with the defaults filled in.
#[derive(Clone)]
pub struct Options {
    /// Directory of the database, the files, the mail and the keys.
    pub data: PathBuf,
    /// Somebody said where the instance lives: it is not just the default.
    pub is_placed: bool,
    pub listen: String,
    /// Where git over SSH is served, if it is.
    pub ssh_listen: Option<String>,
    /// Where users reach it; none means the port listened on.
    pub ssh_port: Option<u16>,
    /// The address users see; none means the address listened on.
    pub external_url: Option<String>,
    pub database_url: String,
    pub blobs_url: String,
    /// Places besides, by name.
    pub storages: Vec<(String, String)>,
    /// Folder of what may be deleted at any time.
    pub cache: PathBuf,
    /// Bytes that may be kept there.
    pub cache_size: u64,
    pub mail_url: String,
    pub mail_from: Option<String>,
    pub incoming_mail: IncomingMail,
    /// Authorities of the operator's own.
    pub ca_file: Option<PathBuf>,
    /// Proxies whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<IpAddr>,
    /// Where the public providers are that projects are imported from.
    pub providers: Addresses,
    pub log: String,
    pub log_json: bool,
    /// Background jobs at the same time.
    pub workers: usize,
    /// Writes that share one commit on SQLite.
    pub group_size: usize,
    /// Folder with the npm packages of GraphiQL; none means our own explorer.
    pub explorer_dir: Option<PathBuf>,
    /// What clients may take of the connections.
    pub connections: ConnectionLimits,
    /// Master keys from the environment instead of the key file.
    pub keys: Option<String>,
    /// Password of the first administrator, from the environment.
    pub root_password: Option<String>,
    /// The time; a fixed clock in tests.
    pub clock: Clock,
}

/// The sample file: every key, commented out, with what it means.
pub fn sample() -> String {
    let mut text = String::from(
        "# Settings of tenon. Every one may be left out; flags and TENON_… variables win.\n",
    );
    for Key { name, shown, about } in KEYS {
        let _ = write!(text, "\n# {about}\n#{name} = {shown}\n");
    }
    text
}

impl Given {
    /// Reads the file and completes it with the defaults. `named` must exist;
    /// without it [`FILE`] is read if it is there.
    pub fn resolve(self, named: Option<&Path>) -> Outcome<Options> {
        let file = match (named, Path::new(FILE)) {
            (Some(path), _) => read(path)?,
            (None, path) if path.exists() => read(path)?,
            (None, _) => Given::default(),
        };
        self.over(file).complete()
    }

    fn connections(&self) -> Outcome<ConnectionLimits> {
        let usual = ConnectionLimits::default();
        let seconds = |name, given, usual: Duration| {
            at_least_one(name, given, usual.as_secs()).map(Duration::from_secs)
        };
        let each = self.max_connections_per_address;
        Ok(ConnectionLimits {
            total: at_least_one("max_connections", self.max_connections, usual.total)?,
            per_address: at_least_one("max_connections_per_address", each, usual.per_address)?,
            head: seconds("head_timeout", self.head_timeout, usual.head)?,
            progress: seconds("transfer_timeout", self.transfer_timeout, usual.progress)?,
            idle: seconds("idle_timeout", self.idle_timeout, usual.idle)?,
        })
    }

    fn complete(self) -> Outcome<Options> {
        let connections = self.connections()?;
        let is_placed = self.data.is_some() || self.database_url.is_some();
        let mut options = Options::in_directory(self.data.unwrap_or_else(|| "data".into()));
        options.is_placed = is_placed;
        options.listen = self.listen.unwrap_or(options.listen);
        options.ssh_listen = self.ssh_listen;
        options.ssh_port = self.ssh_port;
        options.external_url = self.external_url.map(external_url).transpose()?;
        options.database_url = self.database_url.unwrap_or(options.database_url);
        options.blobs_url = self.blobs_url.unwrap_or(options.blobs_url);
        options.storages = storages(self.storage.unwrap_or_default())?;
        options.cache = self.cache.unwrap_or(options.cache);
        options.cache_size = self.cache_size.unwrap_or(options.cache_size);
        options.mail_url = self.mail_url.unwrap_or(options.mail_url);
        options.mail_from = self.mail_from;
        options.incoming_mail = incoming_mail(
            self.incoming_mail_address,
            self.incoming_mail_token,
            self.incoming_mail_url,
        )?;
        options.ca_file = self.ca_file;
        options.trusted_proxies = self.trusted_proxies.unwrap_or_default();
        options.providers = Addresses::said([
            self.provider_a_api_url,
            self.provider_a_git_url,
            self.provider_b_cloud_api_url,
            self.provider_b_cloud_git_url,
        ])?;
        options.log = self.log.unwrap_or(options.log);
        options.log_json = match self.log_format.as_deref() {
            None | Some("text") => false,
            Some("json") => true,
            Some(other) => return Err(format!("log_format is {other:?}; use text or json")),
        };
        options.workers = at_least_one("workers", self.workers, options.workers)?;
        options.group_size = at_least_one("group_size", self.group_size, options.group_size)?;
        options.explorer_dir = self.explorer_dir;
        options.connections = connections;
        options.root_password = std::env::var("TENON_ROOT_PASSWORD").ok();
        options.keys = std::env::var("TENON_KEYS").ok();
        Ok(options)
    }
}

impl Options {
    /// The defaults, with everything in one directory.
    pub fn in_directory(data: PathBuf) -> Options {
        let inside = |name: &str| data.join(name).display().to_string();
        Options {
            listen: "127.0.0.1:8080".into(),
            ssh_listen: None,
            ssh_port: None,
            external_url: None,
            database_url: format!("sqlite:{}", inside("tenon.db")),
            blobs_url: inside("blobs"),
            storages: Vec::new(),
            cache: data.join("cache"),
            cache_size: 10 << 30,
            mail_url: inside("mail"),
            mail_from: None,
            incoming_mail: IncomingMail::default(),
            ca_file: None,
            trusted_proxies: Vec::new(),
            providers: Addresses::default(),
            log: "warn".into(),
            log_json: false,
            workers: 4,
            group_size: 256,
            explorer_dir: None,
            connections: ConnectionLimits::default(),
            keys: None,
            root_password: None,
            clock: Clock::default(),
            is_placed: true,
            data,
        }
    }
}

fn at_least_one<N: From<u8> + PartialOrd>(name: &str, given: Option<N>, usual: N) -> Outcome<N> {
    match given {
        Some(number) if number < N::from(1) => Err(format!("{name} must be at least 1")),
        Some(number) => Ok(number),
        None => Ok(usual),
    }
}

/// Storages as `NAME=URL`.
fn storages(given: Vec<String>) -> Outcome<Vec<(String, String)>> {
    let pair = |text: String| match text.trim().split_once('=') {
        Some((name, url)) if !url.is_empty() => Ok((name.to_owned(), url.to_owned())),
        _ => Err(format!("storage is {text:?}; use NAME=URL, as fast=file:///mnt/fast")),
    };
    given.into_iter().map(pair).collect()
}

/// Ways in need an address to come to.
fn incoming_mail(
    address: Option<String>, token: Option<String>, mailbox: Option<String>,
) -> Outcome<IncomingMail> {
    if address.is_none() && (token.is_some() || mailbox.is_some()) {
        return Err("incoming mail needs incoming_mail_address, as reply+KEY@example.com".into());
    }
    if token.as_ref().is_some_and(|token| token.len() < SHORTEST_TOKEN) {
        return Err(format!("incoming_mail_token needs {SHORTEST_TOKEN} characters"));
    }
    let unusable = || "incoming_mail_url must be imap://… or imaps://… with a host".to_owned();
    let mailbox = match mailbox {
        Some(text) => {
            let url = url::Url::parse(&text).map_err(|_| unusable())?;
            let is_usable = matches!(url.scheme(), "imap" | "imaps") && url.host_str().is_some();
            Some(is_usable.then_some(url).ok_or_else(unusable)?)
        }
        None => None,
    };
    let address = match address {
        Some(text) => Some(text.parse().map_err(|error: Error| error.to_string())?),
        None => None,
    };
    Ok(IncomingMail { address, token, mailbox })
}

/// Accepts `http(s)://HOST[:PORT]` and drops a slash at its end.
fn external_url(url: String) -> Outcome<String> {
    let bare = url.trim_end_matches('/');
    let host = bare.strip_prefix("http://").or_else(|| bare.strip_prefix("https://"));
    match host {
        Some(host) if !host.is_empty() && !host.contains(['/', '?', '#', ' ']) => Ok(bare.into()),
        _ => Err(format!("external_url is {url:?}; write http://HOST or https://HOST[:PORT]")),
    }
}

fn read(path: &Path) -> Outcome<Given> {
    let text =
        std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    parse(&text).map_err(|error| format!("{}: {error}", path.display()))
}

fn parse(text: &str) -> Outcome<Given> {
    let table: toml::Table = text.parse().map_err(|error| format!("{error}"))?;
    for key in table.keys() {
        if !KEYS.iter().any(|known| known.name == key) {
            return Err(format!("unknown key {key}; did you mean {}?", nearest(key)));
        }
    }
    table.try_into().map_err(|error| format!("{error}"))
}

/// The known key that takes the fewest edits to reach.
fn nearest(key: &str) -> &'static str {
    KEYS.iter()
        .map(|known| known.name)
        .min_by_key(|name| edits(key, name))
        .unwrap_or(KEYS[0].name)
}

fn edits(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in to.iter().enumerate() {
            let kept = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = kept.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_file_holds_every_key_and_is_accepted() {
        let uncommented: String = sample()
            .lines()
            .map(|line| match line.strip_prefix('#') {
                Some(setting) if !setting.starts_with(' ') => format!("{setting}\n"),
                _ => format!("{line}\n"),
            })
            .collect();
        let given = parse(&uncommented).unwrap();
        let shown = format!("{given:?}");
        assert!(!shown.contains("None"), "a key is missing: {shown}");
        given.complete().unwrap();
    }

    #[test]
    fn an_unknown_key_is_refused_with_the_nearest() {
        for (wrong, meant) in
            [("lisen", "listen"), ("databse-url", "database_url"), ("mailfrom", "mail_from")]
        {
            let refused = parse(&format!("\"{wrong}\" = 1")).unwrap_err();
            assert_eq!(refused, format!("unknown key {wrong}; did you mean {meant}?"));
        }
    }

    #[test]
    fn flags_win_over_the_file() {
        let file = parse("listen = \"0.0.0.0:1\"\nworkers = 7").unwrap();
        let flags = Given { listen: Some("127.0.0.1:2".into()), ..Given::default() };
        let options = flags.over(file).complete().unwrap();
        assert_eq!((options.listen.as_str(), options.workers), ("127.0.0.1:2", 7));
    }

    #[test]
    fn unusable_values_are_refused() {
        for text in [
            "workers = 0",
            "max_connections = 0",
            "head_timeout = 0",
            "external_url = \"ftp://x\"",
            "external_url = \"https://x/y\"",
            "log_format = \"xml\"",
            "provider_a_api_url = \"https://me:secret@x\"",
            "provider_b_cloud_git_url = \"x\"",
        ] {
            assert!(parse(text).unwrap().complete().is_err(), "{text}");
        }
        assert!(parse("workers = \"many\"").is_err());
    }
}
