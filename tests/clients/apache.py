"""libapache2-mod-auth-openidc, as Debian ships it, signs users in for a site.

The site knows the server's address, its own credentials and nothing else:
endpoints and keys come from discovery.
"""

import contextlib
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time

import requests

from oauth_user import URL, Person, register, run

MODULES = pathlib.Path("/usr/lib/apache2/modules")
APACHE = shutil.which("apache2") or "/usr/sbin/apache2"
CONFIGURATION = """
ServerName 127.0.0.1
ServerRoot {directory}
DefaultRuntimeDir {directory}
PidFile {directory}/pid
Listen 127.0.0.1:{port}
ErrorLog {directory}/error.log
DocumentRoot {directory}/site
User www-data
Group www-data
LoadModule mpm_event_module {modules}/mod_mpm_event.so
LoadModule authn_core_module {modules}/mod_authn_core.so
LoadModule authz_core_module {modules}/mod_authz_core.so
LoadModule authz_user_module {modules}/mod_authz_user.so
LoadModule dir_module {modules}/mod_dir.so
LoadModule auth_openidc_module {modules}/mod_auth_openidc.so
Mutex file:{directory} default

OIDCProviderMetadataURL {server}/.well-known/openid-configuration
OIDCClientID {client_id}
OIDCClientSecret {secret}
OIDCRedirectURI http://127.0.0.1:{port}/signed-in
OIDCScope "openid profile email"
OIDCPKCEMethod S256
OIDCCryptoPassphrase only-for-this-test

<Location />
    AuthType openid-connect
    Require claim preferred_username:root
</Location>
<Location /closed>
    AuthType openid-connect
    Require claim preferred_username:nobody
</Location>
"""


@contextlib.contextmanager
def site():
    """A running Apache; yields its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    client_id, secret = register(f"http://127.0.0.1:{port}/signed-in", "openid profile email")
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        directory.chmod(0o755)
        for page in ["index.html", "closed/index.html"]:
            path = directory / "site" / page
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("the site")
        configuration = directory / "site.conf"
        configuration.write_text(
            CONFIGURATION.format(
                directory=directory,
                modules=MODULES,
                port=port,
                server=URL,
                client_id=client_id,
                secret=secret,
            )
        )
        apache = subprocess.Popen([APACHE, "-f", str(configuration), "-DFOREGROUND"])
        try:
            wait_for(port, apache, directory / "error.log")
            yield f"http://127.0.0.1:{port}"
        except Exception:
            print((directory / "error.log").read_text())
            raise
        finally:
            apache.terminate()
            apache.wait(timeout=30)


def wait_for(port, apache, log):
    """Until Apache answers; one that ended says why in its log."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        assert apache.poll() is None, log.read_text() if log.exists() else "it did not start"
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        time.sleep(0.05)
    raise AssertionError("Apache does not listen")


def visitor_of_a_site():
    """A browser; it keeps no connection that Apache may close meanwhile."""
    visitor = requests.Session()
    visitor.headers["Connection"] = "close"
    return visitor


def test_a_site_signs_users_in_from_discovery_alone():
    with site() as address:
        visitor = visitor_of_a_site()
        asked = visitor.get(f"{address}/", allow_redirects=False)
        assert asked.status_code == 302, asked.text
        assert asked.headers["Location"].startswith(f"{URL}/oauth/authorize?"), asked.headers
        back = Person().authorize(asked.headers["Location"])
        assert back.startswith(f"{address}/signed-in?code="), back
        shown = visitor.get(back)
        assert (shown.status_code, shown.text, shown.url) == (200, "the site", f"{address}/")
        closed = visitor.get(f"{address}/closed/", allow_redirects=False)
        assert closed.status_code in (401, 403), (closed.status_code, closed.text)


def test_a_site_lets_nobody_in_who_refused():
    with site() as address:
        visitor = visitor_of_a_site()
        asked = visitor.get(f"{address}/", allow_redirects=False)
        back = Person().authorize(asked.headers["Location"], "Cancel")
        shown = visitor.get(back)
        assert "the site" not in shown.text, shown.text
        again = visitor.get(f"{address}/", allow_redirects=False)
        assert again.status_code == 302, again.text


if not (MODULES / "mod_auth_openidc.so").exists():
    raise SystemExit(f"{MODULES}/mod_auth_openidc.so is missing")
run(globals())
