//! Other servers, to be measured beside ours.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::{server, tools, tree};

/// A running server that is not ours. Killed when dropped.
pub struct Peer {
    child: Child,
    url: String,
    said: Value,
}

impl Peer {
    /// oidc-provider of npm with so many codes and refresh tokens ready.
    pub fn oidc_provider(codes: u64, chains: usize) -> Result<Peer, String> {
        Peer::node(
            "oidc_provider.mjs",
            &[codes.to_string(), chains.to_string()],
        )
    }

    /// graphql-yoga of npm with one user, whose token is `bench`.
    pub fn graphql_yoga() -> Result<Peer, String> {
        Peer::node("graphql_yoga.mjs", &[])
    }

    /// A script of tests/bench, which takes a port and these arguments.
    fn node(name: &str, arguments: &[String]) -> Result<Peer, String> {
        let (node, modules) = tools::node_with("tests/bench", "clients/bench")?;
        // A module finds what it imports beside itself.
        let script = modules.with_file_name(name);
        let source = tree::root().join("tests/bench").join(name);
        std::fs::copy(&source, &script)
            .map_err(|error| format!("{}: {error}", source.display()))?;
        let port = server::free_port()?;
        let mut command = Command::new(node);
        command
            .arg(script)
            .arg(port.to_string())
            .args(arguments)
            .env("NODE_ENV", "production");
        Peer::start(command, format!("http://127.0.0.1:{port}"))
    }

    /// Starts it and reads the line of JSON that says it listens.
    fn start(mut command: Command, url: String) -> Result<Peer, String> {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{}: {error}", command.get_program().display()))?;
        let output = child.stdout.take().ok_or("it has no standard output")?;
        let mut peer = Peer {
            child,
            url,
            said: Value::Null,
        };
        peer.said = BufReader::new(output)
            .lines()
            .map_while(Result::ok)
            .find_map(|line| serde_json::from_str(&line).ok())
            .ok_or("it ended before it listened")?;
        Ok(peer)
    }

    /// `http://HOST:PORT`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// What it said when it started.
    pub fn said(&self) -> &Value {
        &self.said
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
