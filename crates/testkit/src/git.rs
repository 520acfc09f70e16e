//! The stock git, in a folder of its own that ends with it.

use crate::client::Client;
use kernel::programs::Program;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use tempfile::TempDir;
use tokio::process::Command;

/// Looked up once: a program that is named without its path, with an environment of its
/// own, is started by a fork, which copies the page tables of all tests for each git.
static GIT: LazyLock<Program> = LazyLock::new(|| Program::find("git").expect("git is there"));

/// A folder in which git works.
pub struct Git {
    folder: TempDir,
    server: String,
    token: Option<String>,
    /// How ssh is run, if that is how git goes.
    ssh: Option<String>,
}

/// What git did.
#[derive(Debug, Clone)]
pub struct Ran {
    pub succeeded: bool,
    /// What it said, on both channels.
    pub said: String,
    asked: String,
}

impl Ran {
    /// # Panics
    ///
    /// If it failed.
    pub fn done(self) -> Ran {
        assert!(self.succeeded, "git {}: {}", self.asked, self.said);
        self
    }

    /// # Panics
    ///
    /// If it did not fail, or did not say this.
    pub fn refused(self, text: &str) -> Ran {
        assert!(!self.succeeded, "git {} succeeded: {}", self.asked, self.said);
        assert!(self.said.contains(text), "git {} said {}", self.asked, self.said);
        self
    }

    /// The last line it said.
    pub fn last_line(&self) -> &str {
        self.said.trim().lines().last().unwrap_or_default()
    }
}

impl Git {
    /// Works with the token of this client, if it has one.
    pub fn of(client: &Client) -> Git {
        Git {
            folder: tempfile::tempdir().expect("a folder"),
            server: client.server().to_owned(),
            token: client.token().map(str::to_owned),
            ssh: None,
        }
    }

    /// Works over SSH at this port, with a new key of this kind: `ed25519`, `rsa` or
    /// `ecdsa`.
    pub async fn over_ssh(port: u16, kind: &str) -> Git {
        let folder = tempfile::tempdir().expect("a folder");
        let key = make_key(folder.path(), kind).await;
        let hosts = folder.path().join("hosts");
        let ssh = format!(
            "ssh -F none -T -o LogLevel=ERROR -i {} -o IdentitiesOnly=yes -o IdentityAgent=none -o BatchMode=yes \
             -o StrictHostKeyChecking=accept-new -o UserKnownHostsFile={} -p {port}",
            key.display(),
            hosts.display()
        );
        let server = format!("ssh://git@127.0.0.1:{port}");
        Git { folder, server, token: None, ssh: Some(ssh) }
    }

    /// Signs what is committed and tagged from now on with a new SSH key of this kind.
    pub async fn sign(&self, kind: &str) {
        let key = make_key(self.folder(), kind).await;
        let key = key.to_str().expect("a path").to_owned();
        for (name, value) in [
            ("gpg.format", "ssh"),
            ("user.signingKey", &key),
            ("commit.gpgSign", "true"),
            ("tag.gpgSign", "true"),
        ] {
            self.run(&["config", "--global", name, value]).await.done();
        }
    }

    /// The line of the public half of its key.
    pub fn public_key(&self) -> String {
        let line = std::fs::read_to_string(self.at("key.pub")).expect("a key was made");
        line.trim().to_owned()
    }

    /// Runs ssh with this command at the other side, as git does.
    pub async fn ssh(&self, options: &[&str], command: &[&str]) -> Ran {
        let ssh = self.ssh.as_deref().expect("it works over SSH");
        let output = Command::new("sh")
            .args(["-c", &format!("{ssh} \"$@\""), "ssh"])
            .args(options)
            .arg("git@127.0.0.1")
            .args(command)
            .stdin(std::process::Stdio::null())
            .kill_on_drop(true)
            .output()
            .await
            .expect("a shell is there");
        let said = [output.stdout, output.stderr].concat();
        Ran {
            succeeded: output.status.success(),
            said: String::from_utf8_lossy(&said).into_owned(),
            asked: command.join(" "),
        }
    }

    /// The address of a repository, with what proves who asks.
    pub fn url(&self, path: &str) -> String {
        match &self.token {
            Some(token) => self.url_with("anybody", token, path),
            None => format!("{}/{path}.git", self.server),
        }
    }

    /// The same with these credentials.
    pub fn url_with(&self, name: &str, password: &str, path: &str) -> String {
        let (scheme, host) = self.server.split_once("://").expect("an address");
        format!("{scheme}://{name}:{password}@{host}/{path}.git")
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A folder below.
    pub fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs git in the folder.
    pub async fn run(&self, args: &[&str]) -> Ran {
        self.run_in("", args).await
    }

    /// Runs git in a folder below.
    pub async fn run_in(&self, folder: &str, args: &[&str]) -> Ran {
        ran(&mut self.command(folder, args), args).await
    }

    /// The same with a text that git reads.
    pub async fn feed(&self, folder: &str, args: &[&str], text: &str) -> Ran {
        let path = self.at("fed");
        std::fs::write(&path, text).expect("a file");
        let text = std::fs::File::open(path).expect("it was written");
        ran(self.command(folder, args).stdin(text), args).await
    }

    fn command(&self, folder: &str, args: &[&str]) -> Command {
        let mut command = Command::new(GIT.path());
        command
            .args(["-c", "init.defaultBranch=main", "-c", "protocol.version=2"])
            .args(args)
            .current_dir(self.at(folder))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.folder.path())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_AUTHOR_NAME", "Ada")
            .env("GIT_AUTHOR_EMAIL", "ada@example.com")
            .env("GIT_COMMITTER_NAME", "Ada")
            .env("GIT_COMMITTER_EMAIL", "ada@example.com")
            .env("GIT_SSH_COMMAND", self.ssh.as_deref().unwrap_or("false"))
            .kill_on_drop(true);
        command
    }

    /// A new repository below with one commit, whose origin is this one.
    pub async fn begin(&self, name: &str, origin: &str) {
        self.run(&["init", "--quiet", name]).await.done();
        self.run_in(name, &["remote", "add", "origin", &self.url(origin)]).await.done();
        self.commit(name, "README.md", "# Anvil\n").await;
    }

    /// Commits one file with this text; the id of the commit.
    pub async fn commit(&self, repository: &str, file: &str, text: &str) -> String {
        let path = self.at(repository).join(file);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
        self.run_in(repository, &["add", file]).await.done();
        let message = format!("Change {file}");
        self.run_in(repository, &["commit", "--quiet", "--message", &message])
            .await
            .done();
        self.id(repository, "HEAD").await
    }

    /// What a name stands for.
    pub async fn id(&self, repository: &str, name: &str) -> String {
        self.run_in(repository, &["rev-parse", name])
            .await
            .done()
            .last_line()
            .to_owned()
    }
}

async fn ran(command: &mut Command, args: &[&str]) -> Ran {
    let output = command.output().await.expect("git is there");
    let said = [output.stdout, output.stderr].concat();
    Ran {
        succeeded: output.status.success(),
        said: String::from_utf8_lossy(&said).into_owned(),
        asked: args.join(" "),
    }
}

/// A key in this folder, as ssh-keygen makes it.
async fn make_key(folder: &Path, kind: &str) -> PathBuf {
    let key = folder.join("key");
    let made = Command::new("ssh-keygen")
        .args(["-q", "-N", "", "-C", "ada@example.com", "-t", kind, "-f"])
        .arg(&key)
        .output()
        .await
        .expect("ssh-keygen is there");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    key
}
