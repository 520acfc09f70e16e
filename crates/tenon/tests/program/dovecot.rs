//! Debian's dovecot, and certificates by an authority of our own.

use std::fs;
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const PASSWORD: &str = "mail-box";

/// A mail server with one user for each mailbox that is named.
pub struct Dovecot {
    directory: TempDir,
    child: Child,
    port: u16,
    /// Where TLS is spoken from the first byte on.
    secure_port: u16,
}

impl Dovecot {
    /// None where it is not installed, or may not be another user.
    pub fn start() -> Option<Dovecot> {
        Dovecot::with("ssl = no\n")
    }

    /// The same with this certificate.
    pub fn secured(by: &Authority) -> Option<Dovecot> {
        let (certificate, key) = (by.path("server.pem"), by.path("server.key"));
        Dovecot::with(&format!("ssl = yes\nssl_cert = <{certificate}\nssl_key = <{key}\n"))
    }

    fn with(tls: &str) -> Option<Dovecot> {
        let (uid, gid) = (number("-u")?, number("-g")?);
        let is_there = Command::new("dovecot").arg("--version").stdout(Stdio::null()).status();
        if !is_there.is_ok_and(|status| status.success()) || !am_root() {
            let may = std::env::var_os("CI").is_none_or(|_| !am_root());
            assert!(may, "dovecot is not installed");
            return None;
        }
        let directory = tempfile::tempdir().expect("a temporary directory");
        let (port, secure_port) = (free_port(), free_port());
        let place = directory.path().display();
        let secured = if tls.contains("yes") { "yes" } else { "no" };
        let settings = format!(
            "protocols = imap\nlisten = 127.0.0.1\nbase_dir = {place}/run\nlog_path = {place}/log\n\
             {tls}disable_plaintext_auth = no\nmail_location = maildir:{place}/mail/%u\n\
             first_valid_uid = {uid}\nfirst_valid_gid = {gid}\n\
             passdb {{\n driver = static\n args = password={PASSWORD}\n}}\n\
             userdb {{\n driver = static\n args = uid={uid} gid={gid} home={place}/mail/%u\n}}\n\
             service imap-login {{\n inet_listener imap {{\n  port = {port}\n }}\n \
             inet_listener imaps {{\n  port = {secure_port}\n  ssl = {secured}\n }}\n}}\n"
        );
        fs::create_dir(directory.path().join("mail")).expect("a directory");
        for (path, mode) in [("", 0o755), ("mail", 0o777)] {
            let path = directory.path().join(path);
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("permissions");
        }
        fs::write(directory.path().join("dovecot.conf"), settings).expect("settings");
        let child = Command::new("dovecot")
            .arg("-F")
            .args(["-c".as_ref(), directory.path().join("dovecot.conf").as_os_str()])
            .spawn()
            .expect("dovecot can be started");
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(begun.elapsed() < Duration::from_secs(30), "dovecot does not start");
            std::thread::sleep(Duration::from_millis(20));
        }
        Some(Dovecot { directory, child, port, secure_port })
    }

    pub fn url(&self) -> String {
        format!("imap://reply:{PASSWORD}@127.0.0.1:{}/INBOX", self.port)
    }

    /// The same with TLS that begins after the greeting.
    pub fn begun_url(&self) -> String {
        format!("imap://reply:{PASSWORD}@localhost:{}/INBOX?tls=required", self.port)
    }

    pub fn secure_url(&self, host: &str) -> String {
        format!("imaps://reply:{PASSWORD}@{host}:{}/INBOX", self.secure_port)
    }

    fn control(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("doveadm");
        command.args(["-c".as_ref(), self.directory.path().join("dovecot.conf").as_os_str()]);
        command.args(arguments);
        command
    }

    /// Puts a mail into the mailbox, as a mail server that got it does.
    pub fn deliver(&self, mail: &str) {
        let mut child = self
            .control(&["save", "-u", "reply", "-m", "INBOX"])
            .stdin(Stdio::piped())
            .spawn()
            .expect("doveadm can be started");
        let mut input = child.stdin.take().expect("standard input is piped");
        input.write_all(mail.replace('\n', "\r\n").as_bytes()).expect("it reads");
        drop(input);
        assert!(child.wait().expect("it ends").success());
    }

    pub fn unread(&self) -> usize {
        self.count("UNSEEN")
    }

    /// Mails of which this holds.
    pub fn count(&self, what: &str) -> usize {
        let found = self
            .control(&["search", "-u", "reply", "mailbox", "INBOX", what])
            .output()
            .expect("doveadm can be started");
        String::from_utf8_lossy(&found.stdout).lines().count()
    }

    /// Marks the mails that are flagged as unread, as a person does by hand.
    pub fn mark_flagged_as_unread(&self) {
        let mailbox = ["mailbox", "INBOX", "FLAGGED"];
        let command = [&["flags", "remove", "-u", "reply", "\\Seen \\Flagged"], &mailbox[..]];
        let done = self.control(&command.concat()).status().expect("doveadm can be started");
        assert!(done.success());
    }
}

impl Drop for Dovecot {
    fn drop(&mut self) {
        // Its children end with it, which they do not when it is killed.
        let pid = self.child.id().to_string();
        let _ = Command::new("kill").arg(pid).status();
        let _ = self.child.wait();
    }
}

/// An id of the user `mail`.
fn number(which: &str) -> Option<u32> {
    let told = Command::new("id").args([which, "mail"]).output().ok()?;
    String::from_utf8_lossy(&told.stdout).trim().parse().ok()
}

fn am_root() -> bool {
    let told = Command::new("id").arg("-u").output().expect("id can be started");
    told.stdout == b"0\n"
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

/// An authority of our own, which has given a certificate to `localhost`.
pub struct Authority(TempDir);

impl Authority {
    pub fn new() -> Authority {
        let authority = Authority(tempfile::tempdir().expect("a temporary directory"));
        let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
        let own = ["req", "-x509", "-days", "2", "-subj", "/CN=An authority of our own"];
        let files = ["-keyout", "authority.key", "-out", "authority.pem"];
        authority.openssl(&[&own[..], &key, &files].concat());
        let asked = ["req", "-subj", "/CN=localhost"];
        let files = ["-keyout", "server.key", "-out", "server.csr"];
        authority.openssl(&[&asked[..], &key, &files].concat());
        let named = "subjectAltName = DNS:localhost\n";
        fs::write(authority.path("names"), named).expect("a file");
        let given = ["x509", "-req", "-days", "2", "-in", "server.csr", "-extfile", "names"];
        let by = ["-CA", "authority.pem", "-CAkey", "authority.key", "-CAcreateserial"];
        authority.openssl(&[&given[..], &by, &["-out", "server.pem"]].concat());
        authority
    }

    fn openssl(&self, arguments: &[&str]) {
        let done = Command::new("openssl").args(arguments).current_dir(self.0.path()).output();
        let done = done.expect("openssl can be started");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }

    /// A file in its folder; `authority.pem` is its own certificate.
    pub fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }
}
