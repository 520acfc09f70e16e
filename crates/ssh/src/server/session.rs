//! What is run in a session: git's three programs, what git-lfs asks for, a greeting.

use super::pipe::{self, Input, Output};
use super::words;
use crate::formats::command::{self, BadCommand, Command};
use crate::rules::access::{self, Visitor, Who};
use crate::store::keys;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use identity::git_pass::{GitPass, LIFETIME};
use kernel::app::App;
use kernel::error::{BestEffort, Error, Result};
use kernel::limits::SetLimits;
use repositories::access::{Address, Found, Service};
use repositories::fetch::objects::{self, Talk};
use repositories::fetch::{self, Answer, Version, refs};
use repositories::formats::packet::FLUSH;
use repositories::git::Git;
use repositories::lfs;
use repositories::receive;
use russh::Channel;
use russh::server::Msg;
use serde_json::json;
use std::net::IpAddr;
use tokio::io::AsyncWriteExt;
use tokio::sync::mpsc;

/// Deeds of one kind, of somebody, with one repository, and in how many seconds.
const DEEDS: (i64, i64) = (600, 60);
const TOO_OFTEN: &str = "This was asked for too many times. Try again later.";
const SOON: &str = "INFO: Your SSH key is expiring soon. Please generate a new key.";
const NO_REF: &str = "There is no such ref.";
/// Statuses of programs.
const DONE: u32 = 0;
const REFUSED: u32 = 1;
const NO_COMMAND: u32 = 128;
/// Pieces of an answer that wait for the client.
const WAITING: usize = 4;

/// Who asks, and how.
pub(super) struct Session {
    pub app: App,
    /// The key that they are known by.
    pub key: i64,
    pub peer: IpAddr,
    /// What git said it speaks.
    pub version: Version,
}

/// Runs a command to its end.
pub(super) async fn run(session: Session, channel: Channel<Msg>, text: &[u8]) {
    let (input, output) = pipe::split(channel);
    let command = match command::read(text) {
        Ok(command) => command,
        Err(bad) => {
            let text = match bad {
                BadCommand::Unknown(name) => format!("Unknown command: {name}"),
                BadCommand::Unreadable => "Failed to parse command".to_owned(),
            };
            let _ = output.say(format!("ERROR: {text}\n")).await;
            return output.end(NO_COMMAND).await;
        }
    };
    let status = match session.obey(command, input, &output).await {
        Ok(()) => DONE,
        Err(error) => {
            let _ = output.say(words::refusal(&words::of(error))).await;
            REFUSED
        }
    };
    output.end(status).await;
}

impl Session {
    async fn obey(&self, command: Command, input: Input, output: &Output) -> Result<()> {
        let (key, address) = (self.key, self.peer.to_canonical().to_string());
        let visitor = self.app.read_inline(move |tx| access::visitor(tx, key, &address)).await?;
        self.note_use(&visitor).await;
        if visitor.ends_soon(self.app.now()) {
            output.say(words::information(SOON)).await?;
        }
        match command {
            Command::Greet => {
                let name = match &visitor.who {
                    Who::User(user) => format!("@{}", user.username),
                    Who::Machine => "Anonymous".to_owned(),
                };
                output.send(format!("Welcome to Service, {name}!\n").into()).await
            }
            Command::Git(Service::Fetch, path) => {
                let found = self.find(&visitor, &path, Service::Fetch, output).await?;
                self.fetch(&found, input, output).await
            }
            Command::Git(Service::Push, path) => self.push(&visitor, &path, input, output).await,
            Command::Archive(path) => {
                let found = self.find(&visitor, &path, Service::Fetch, output).await?;
                self.archive(found, input, output).await
            }
            Command::LargeFiles(service, path) => {
                let found = self.find(&visitor, &path, service, output).await?;
                output.send(self.pass(visitor, &found, service).await?).await
            }
        }
    }

    /// Notes now and then that a key is in use.
    async fn note_use(&self, visitor: &Visitor) {
        if visitor.is_to_be_noted(self.app.now()) {
            let id = visitor.key.id;
            let noted = self.app.write(move |tx| keys::touch(tx, id)).await;
            noted.best_effort("note that a key was used");
        }
    }

    /// The repository at a path, for who may do this; they are told if it has moved.
    async fn find(
        &self, visitor: &Visitor, path: &str, service: Service, output: &Output,
    ) -> Result<Found> {
        let address = address(path);
        self.count(visitor, service, &address)?;
        if service == Service::Push {
            receive::check_writable(&self.app).await?;
        }
        self.app.kept::<Git>().check().await?;
        let (visitor, wanted) = (visitor.clone(), address.clone());
        let found = self.app.read_inline(move |tx| visitor.find(tx, &wanted, service)).await?;
        if found.has_moved_from(&address) {
            let to = found.place.path();
            let url = self.app.ssh_url(&format!("{to}.git"));
            output.say(words::moved(&address.place(), to, &url)).await?;
        }
        Ok(found)
    }

    fn count(&self, visitor: &Visitor, service: Service, address: &Address) -> Result<()> {
        let limits = self.app.kept::<SetLimits>();
        let who = visitor.counted_as();
        let key = format!("{} {who} {}", service.name(), address.full_path);
        match limits.exceeded("git over SSH", DEEDS, &key, self.app.now()) {
            Some(_) => Err(Error::Exact(429, TOO_OFTEN.into())),
            None => Ok(()),
        }
    }

    async fn fetch(&self, found: &Found, mut input: Input, output: &Output) -> Result<()> {
        let version = self.version;
        match &found.repository {
            Some(repository) if version != Version::Two => {
                let talk = objects::talk(&self.app, repository.id, &found.hidden, version).await?;
                return converse(talk, Bytes::new(), input, output).await;
            }
            _ => output.send(self.refs(found, Service::Fetch).await?).await?,
        }
        while let Some(message) = input.message().await? {
            if version != Version::Two || message == FLUSH {
                break;
            }
            match fetch::answer(&self.app, found, version, message).await? {
                Answer::Whole(bytes) => output.send(bytes).await?,
                Answer::Stream(objects) => output.send_all(objects).await?,
            }
        }
        Ok(())
    }

    /// Sends an archive of what the client names.
    async fn archive(&self, found: Found, mut input: Input, output: &Output) -> Result<()> {
        let empty = || Error::Exact(404, "The repository is empty.".into());
        let repository = found.repository.ok_or_else(empty)?;
        let Some(request) = input.message().await? else {
            return Ok(());
        };
        if found.hidden.are_named(&request) {
            return Err(Error::Exact(404, NO_REF.into()));
        }
        let talk = objects::archive(&self.app, repository.id, &found.hidden).await?;
        converse(talk, request, input, output).await
    }

    async fn refs(&self, found: &Found, service: Service) -> Result<Bytes> {
        refs::advertise(&self.app, found, service, self.version).await
    }

    async fn push(
        &self, visitor: &Visitor, path: &str, input: Input, output: &Output,
    ) -> Result<()> {
        let found = self.find(visitor, path, Service::Push, output).await?;
        let (who, address) = (visitor.clone(), address(path));
        let to = self.app.write(move |tx| who.pushing(tx, &address)).await?;
        output.send(self.refs(&found, Service::Push).await?).await?;
        let received = receive::receive(&self.app, &to, input.stream()).await?;
        if received.is_empty() {
            return Ok(());
        }
        let (sender, mut receiver) = mpsc::channel(WAITING);
        let app = self.app.clone();
        tokio::spawn(async move { receive::finish(&app, &to, received, sender).await });
        while let Some(bytes) = receiver.recv().await {
            output.send(bytes).await?;
        }
        Ok(())
    }

    /// What git-lfs is told: where large files are, and a credential for them.
    async fn pass(&self, visitor: Visitor, found: &Found, service: Service) -> Result<Bytes> {
        lfs::check_enabled(&self.app).await?;
        let project = found.code().filter(|project| project.lfs_enabled);
        let project = project.ok_or(Error::NotFound(""))?;
        let name = match &visitor.who {
            Who::User(user) => user.username.clone(),
            Who::Machine => format!("lfs+deploy-key-{}", visitor.key.id),
        };
        let user = self.app.read_inline(move |tx| visitor.for_large_files(tx)).await?;
        let below = format!("/{}.git/info/lfs", project.full_path);
        let pass = GitPass::new(&self.app, user.id, format!("{below}/"), service.scope());
        let basic = STANDARD.encode(format!("{name}:{}", pass.text(&self.app)?));
        let answer = json!({
            "header": {"Authorization": format!("Basic {basic}")},
            "href": self.app.url(&below),
            "expires_in": LIFETIME,
        });
        Ok(format!("{answer}\n").into())
    }
}

/// What a path names; a slash before it and a missing ending are forgiven.
fn address(path: &str) -> Address {
    let place = path.trim_matches('/');
    Address::named(place.strip_suffix(".git").unwrap_or(place))
}

/// Lets a client talk with git until that ends; this it has said already.
async fn converse(talk: Talk, said: Bytes, mut input: Input, output: &Output) -> Result<()> {
    let Talk { input: mut stdin, output: git } = talk;
    let hears = async {
        if stdin.write_all(&said).await.is_err() {
            return std::future::pending::<()>().await;
        }
        while let Some(bytes) = input.next().await {
            if stdin.write_all(&bytes).await.is_err() {
                break;
            }
        }
        drop(stdin);
        std::future::pending::<()>().await;
    };
    tokio::select! {
        answered = output.send_all(git.stream()) => answered,
        () = hears => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use repositories::model::RepositoryKind;

    #[test]
    fn paths_are_read_as_people_write_them() {
        for path in ["acme/anvil.git", "/acme/anvil.git", "/acme/anvil", "acme/anvil/"] {
            let wanted = Address {
                full_path: "acme/anvil".into(),
                kind: RepositoryKind::Project,
            };
            assert_eq!(address(path), wanted, "{path}");
        }
        assert_eq!(address("/acme/anvil.wiki.git").kind, RepositoryKind::Wiki);
    }
}
