//! A server that git talks to: reached at the addresses that were tested, without what
//! it could lead elsewhere by.

use super::address::port;
use super::keys::host_key;
use super::server::{Seals, Server};
use crate::git::Git;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use kernel::app::App;
use kernel::error::{BestEffort, Error, Result};
use kernel::programs::{Invocation, Program};
use kernel::secrets::random_bytes;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use tokio::io::AsyncWriteExt;
use url::{Host, Url};

/// What git may not do on its own: follow a server elsewhere, ask somebody, take a proxy,
/// wait for a server that is silent or drips, or take all memory and cores. Where redirects
/// are not followed, neither are the other places that a plain web server names.
const HELD: &[&str] = &[
    "protocol.allow=never",
    "protocol.http.allow=always",
    "protocol.https.allow=always",
    "protocol.ssh.allow=always",
    "protocol.git.allow=always",
    "http.followRedirects=false",
    "http.proxy=",
    "http.lowSpeedLimit=1000",
    "http.lowSpeedTime=60",
    "credential.helper=",
    "core.askPass=",
    "core.hooksPath=/dev/null",
    "push.followTags=false",
    "push.recurseSubmodules=no",
    "fetch.recurseSubmodules=no",
    "fetch.unpackLimit=1",
    "transfer.bundleURI=false",
    "pack.threads=1",
    "pack.windowMemory=64m",
];
/// What is told where mirrors cannot be reached over SSH.
const NO_SSH: &str = "This server has no ssh program, which mirrors over SSH need.";
/// What stands for the server in its file of known hosts.
const ALIAS: &str = "mirror";

/// The server of a mirror, and how git gets there.
pub struct Remote {
    pub url: Url,
    /// What is never told.
    pub secrets: Vec<String>,
    /// What proves over HTTP who asks.
    pub authorization: Option<String>,
    config: Vec<String>,
    /// Variables of git's environment.
    env: Vec<(&'static str, String)>,
    /// Where the files are that ssh reads.
    folder: Option<KeyFolder>,
}

/// A folder for a key, gone when dropped.
struct KeyFolder(PathBuf);

impl Drop for KeyFolder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).best_effort("remove the key of a mirror");
    }
}

impl Remote {
    /// Finds the server; a text for people if nothing may be sent there.
    pub async fn open(app: &App, server: &Server, seals: &Seals) -> Result<Result<Remote, String>> {
        let url = Url::parse(&server.url).map_err(Error::internal)?;
        let addresses = match app.outbound().await?.addresses(&url).await {
            Ok(addresses) => addresses,
            Err(fault) => return Ok(Err(fault.to_string())),
        };
        let mut remote = Remote {
            url,
            secrets: Vec::new(),
            authorization: None,
            config: HELD.iter().map(|text| (*text).to_owned()).collect(),
            env: Vec::new(),
            folder: None,
        };
        match remote.url.scheme() {
            "ssh" => {
                // It need not be where git is, which finds no other programs.
                let Some(ssh) = Program::find("ssh") else {
                    return Ok(Err(NO_SSH.into()));
                };
                remote.over_ssh(app, (server, seals), (&ssh, &addresses)).await?;
            }
            "git" => remote.by_address(&addresses)?,
            _ => remote.over_http(app, (server, seals), &addresses)?,
        }
        Ok(Ok(remote))
    }

    /// Git's own protocol cannot be told what a name resolved to: the address stands in its
    /// place, and the name is said to the server beside it.
    fn by_address(&mut self, at: &[IpAddr]) -> Result<()> {
        let address = at.first().ok_or_else(|| Error::internal("a host without address"))?;
        let host = self.url.host_str().unwrap_or_default();
        self.env = vec![("GIT_OVERRIDE_VIRTUAL_HOST", format!("{host}:{}", port(&self.url)))];
        let pinned = format!("git://{}:{}{}", bracketed(address), port(&self.url), self.url.path());
        self.url = Url::parse(&pinned).map_err(Error::internal)?;
        Ok(())
    }

    fn over_http(
        &mut self, app: &App, (server, seals): (&Server, &Seals), at: &[IpAddr],
    ) -> Result<()> {
        if let Some(Host::Domain(name)) = self.url.host() {
            let at: Vec<String> = at.iter().map(bracketed).collect();
            let pinned = format!("{name}:{}:{}", port(&self.url), at.join(","));
            self.config.push(format!("http.curloptResolve={pinned}"));
        }
        let Some((user, password)) = server.credentials(app.secrets(), seals)? else {
            return Ok(());
        };
        let encoded = STANDARD.encode(format!("{user}:{password}"));
        let authorization = format!("Basic {encoded}");
        let header = format!("Authorization: {authorization}");
        self.authorization = Some(authorization);
        // A token may stand in the place of the name.
        self.secrets = match password.is_empty() {
            true => vec![user, encoded],
            false => vec![password, encoded],
        };
        self.env = vec![
            ("GIT_CONFIG_COUNT", "1".into()),
            ("GIT_CONFIG_KEY_0", "http.extraHeader".into()),
            ("GIT_CONFIG_VALUE_0", header),
        ];
        Ok(())
    }

    async fn over_ssh(
        &mut self, app: &App, (server, seals): (&Server, &Seals),
        (program, at): (&Program, &[IpAddr]),
    ) -> Result<()> {
        let sealed = server.sealed_key.as_ref();
        let sealed = sealed.ok_or_else(|| Error::internal("a mirror over SSH has no key"))?;
        let key = app.secrets().unseal(seals.key, sealed)?;
        let name = format!("mirror-{}", hex::encode(random_bytes::<16>()));
        let folder = KeyFolder(crate::cache::root(app).with_file_name("pushes").join(name));
        tokio::fs::create_dir_all(&folder.0).await.map_err(Error::of_storage)?;
        let known: String =
            server.host_keys.0.iter().map(|key| format!("{ALIAS} {key}\n")).collect();
        write(&folder.0.join("key"), &key).await?;
        write(&folder.0.join("hosts"), known.as_bytes()).await?;
        let address = at.first().ok_or_else(|| Error::internal("a host without address"))?;
        let strict = if known.is_empty() { "accept-new" } else { "yes" };
        self.env = vec![
            ("GIT_SSH_VARIANT", "ssh".into()),
            ("GIT_SSH_COMMAND", ssh(program, (&folder.0, *address), strict)),
        ];
        self.folder = Some(folder);
        Ok(())
    }

    /// Begins to start git on a repository of ours, for this server.
    pub async fn git(&self, app: &App, folder: &Path) -> Result<Invocation> {
        let mut git = app.kept::<Git>().at(app, folder).await?;
        for setting in &self.config {
            git = git.args(["-c", setting]);
        }
        for (name, value) in &self.env {
            git = git.env(name, value);
        }
        Ok(git)
    }

    /// The keys that the server is known by now.
    pub async fn host_keys(&self) -> Vec<String> {
        let Some(folder) = &self.folder else {
            return Vec::new();
        };
        let read = tokio::fs::read_to_string(folder.0.join("hosts")).await;
        read.unwrap_or_default().lines().filter_map(host_key).collect()
    }
}

/// How ssh is run: by nothing but what stands here.
fn ssh(program: &Program, (folder, address): (&Path, IpAddr), strict: &str) -> String {
    let file = |name: &str| quoted(&format!("\"{}\"", folder.join(name).display()));
    let program = quoted(&program.path().display().to_string());
    let (key, hosts) = (file("key"), file("hosts"));
    format!(
        "{program} -F none -T -o BatchMode=yes -o IdentitiesOnly=yes -o IdentityAgent=none \
         -o IdentityFile={key} -o UserKnownHostsFile={hosts} -o GlobalKnownHostsFile=/dev/null \
         -o StrictHostKeyChecking={strict} -o HostKeyAlias={ALIAS} -o HostName={address} \
         -o CheckHostIP=no -o ProxyCommand=none -o ForwardAgent=no -o ConnectTimeout=10 \
         -o ServerAliveInterval=15 -o ServerAliveCountMax=4 -o LogLevel=ERROR"
    )
}

/// A word for a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

fn bracketed(address: &IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    }
}

/// Writes a file that nobody else reads.
async fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let opened = tokio::fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
        .await;
    let mut file = opened.map_err(Error::of_storage)?;
    file.write_all(bytes).await.map_err(Error::of_storage)?;
    file.flush().await.map_err(Error::of_storage)
}
