"""What schemathesis knows of this server: who is calling, and what exists.

Generated ids name nothing, so almost every answer would be a 404. Unless a
case is about the id itself, it gets the id of a thing made for its operation,
and in bodies what has to exist or to be new. A thing that an answer used up
is made again.

Loaded through SCHEMATHESIS_HOOKS. Writes to TENON_ACCEPTED which operations
answered 2xx at least once.
"""

import atexit
import base64
import datetime
import hashlib
import io
import itertools
import json
import os
import tarfile
import threading
import time
import urllib.parse
import zipfile

import requests
import schemathesis
from schemathesis.core.parameters import ParameterLocation

import openpgp
from openapi_reviews import Reviews

API = os.environ["TENON_URL"] + "/api/v4"
ROOT = {"PRIVATE-TOKEN": os.environ["TENON_TOKEN"]}

# What has to be done before, for the opposite to do anything.
OPPOSITES = {"unban": "ban", "unfollow": "follow", "unstar": "star"}

# After a success of these, what the operation worked on is gone or changed.
USING_UP = {
    "access_requests", "apply", "approve", "archive", "ban", "block", "bulk_publish",
    "cancel_merge_when_pipeline_succeeds", "follow", "links", "merge", "move", "publish", "reject",
    "rotate", "unapprove",
    "promote", "revoke", "share", "star", "subscribe", "transfer", "unarchive", "unban", "unblock",
    "unfollow", "unstar", "unsubscribe",
}  # fmt: skip

# Settings that the whole run depends on: put back after every change.
SETTINGS = ["/application/settings", "/application/plan_limits"]

# Settings that close the instance to the other cases, if only for a moment.
CLOSING = ["admin_mode", "maintenance_mode", "unique_ips_limit_enabled"]

# What stands in a generated body for a field the case is not about.
FILLERS = [0, "", [], "2000-01-01"]

# What names commits, files or projects that there are not.
UNKNOWN = ["last_commit_id", "start_branch", "start_project", "start_sha", "from_project_id"]

# Where applications send users back to; nobody goes there.
CALLBACK = "https://app.example.org/callback"

# What runner programs ask of themselves: a header has their token.
PROGRAMS = [
    f"/api/v4/runners{rest}"
    for rest in ["", "/verify", "/managers", "/reset_authentication_token"]
]

# Of all Conan recipes.
CONAN_REVISION = "a" * 32

# The smallest picture: one point.
GIF = bytes.fromhex("47494638396101000100800000000000ffffff2c00000000010001000002024401003b")

TOMORROW = str(datetime.date.today() + datetime.timedelta(days=1))

numbers = itertools.count(1)
accepted = set()
worlds = threading.local()
session = requests.Session()


def call(method, path, headers=ROOT, **arguments):
    """An answer of the server that has to be a good one."""
    answer = session.request(method, API + path, headers=headers, **arguments)
    assert answer.ok, (method, path, answer.status_code, answer.text)
    return answer.json() if answer.content else None


def until(status, ask):
    """What is answered once the answer has this status."""
    for _ in range(300):
        answer = ask()
        if answer.status_code == status:
            return answer.json()
        time.sleep(0.1)
    raise AssertionError((status, answer.status_code, answer.text))


def post(url, headers=ROOT, **body):
    return call("POST", url, headers, json=body)


def packed(name, content):
    """A tar file packed with gzip that has one member."""
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz") as members:
        member = tarfile.TarInfo(name)
        member.size = len(content)
        members.addfile(member, io.BytesIO(content))
    return archive.getvalue()


def ssh_key():
    """A public key of SSH that nobody has yet."""
    parts = [b"ssh-ed25519", hashlib.sha256(b"%d" % next(numbers)).digest()]
    blob = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
    return f"ssh-ed25519 {base64.b64encode(blob).decode()}"


def gpg_key():
    """A public key of OpenPGP that nobody has yet."""
    return openpgp.public_key(f"User {next(numbers)} <root@example.org>")


def fingerprint(key):
    """What OpenSSH shows of a public key."""
    digest = hashlib.sha256(base64.b64decode(key.split()[1])).digest()
    return f"SHA256:{base64.b64encode(digest).decode().rstrip('=')}"


def npm_publication(name):
    """What an npm client sends to publish 1.0.0."""
    manifest = {"name": name, "version": "1.0.0"}
    archive = packed("package/package.json", json.dumps(manifest).encode())
    files = {f"{name}-1.0.0.tgz": {"data": base64.b64encode(archive).decode()}}
    return {"name": name, "versions": {"1.0.0": manifest}, "_attachments": files}


class World(Reviews):
    """The things one operation works on, each made when first asked for."""

    call, post = staticmethod(call), staticmethod(post)

    def new(self, what):
        """A name that nothing has yet."""
        return f"{what}-{next(numbers)}"

    def __init__(self, path, method="GET", operation="GET"):
        self.path = path
        self.method = method
        # Of the operation: a case may try another one first.
        self.operation = operation
        self.made = {}

    def get(self, name):
        if name not in self.made:
            self.made[name] = getattr(self, name)()
        return self.made[name]

    def owner(self):
        """`/groups/5` or `/projects/7`: what the path starts with."""
        kind = "groups" if self.path.startswith("/groups/") else "projects"
        return f"/{kind}/{self.get('id')}"

    def upload_id(self):
        files = {"file": ("a.txt", b"a text")}
        made = call("POST", f"{self.owner()}/uploads", files=files)
        self.made["secret"] = made["url"].split("/")[2]
        return made["id"]

    def secret(self):
        self.get("upload_id")
        return self.made["secret"]

    def filename(self):
        return "a.txt"

    def user(self):
        name = f"user-{next(numbers)}"
        body = {"username": name, "name": name, "email": f"{name}@example.org"}
        return post("/users", password="plain-words-for-a-test", skip_confirmation=True, **body)["id"]

    def user_headers(self):
        token = post(f"/users/{self.get('user')}/personal_access_tokens", name="own", scopes=["api"])
        return {"PRIVATE-TOKEN": token["token"]}

    def group(self):
        name = f"group-{next(numbers)}"
        return post("/groups", name=name, path=name, visibility="public")["id"]

    def project(self):
        name = f"project-{next(numbers)}"
        return post("/projects", name=name, visibility="public")["id"]

    # Parameters of paths, by their names.

    def id(self):
        number = self.id_of(self.path.split("/")[1])
        opposite = OPPOSITES.get(self.path.rsplit("/", 1)[-1])
        if opposite:
            kind = self.path.split("/")[1]
            post(f"/{kind}/{number}/{opposite}")
        return number

    def id_of(self, kind):
        if kind == "users":
            return self.get("user")
        if kind == "todos":
            return post(f"/projects/{self.get('project')}/issues/{self.todo_issue()}/todo")["id"]
        if kind == "issues":
            return post(f"/projects/{self.project()}/issues", title="an issue")["id"]
        if kind == "suggestions":
            return self.suggestion()
        if kind == "applications":
            return post("/applications", name="x", redirect_uri=CALLBACK, scopes="api")["id"]
        if kind == "keys":
            return post("/user/keys", title="x", key=ssh_key())["id"]
        if self.path.endswith("/fork") and self.method == "DELETE":
            return post(f"/projects/{self.project()}/fork/{self.project()}")["id"]
        if kind == "personal_access_tokens":
            return post(f"/users/{self.get('user')}/personal_access_tokens", name="x", scopes=["api"])["id"]
        if self.path.endswith("/promote"):
            name = f"project-{next(numbers)}"
            return post("/projects", name=name, namespace_id=self.group(), visibility="public")["id"]
        return self.get("project" if kind in ("projects", "error_tracking") else "group")

    def user_id(self):
        user = self.get("user")
        if "/access_requests/" in self.path:
            post(f"{self.owner()}/access_requests", self.get("user_headers"))
        elif "/members/" in self.path:
            post(f"{self.owner()}/members", user_id=user, access_level=20)
        return user

    def token_id(self):
        if "/impersonation_tokens/" in self.path:
            return post(f"/users/{self.get('id')}/impersonation_tokens", name="x", scopes=["api"])["id"]
        return post(f"{self.owner()}/access_tokens", name="x", scopes=["api"], access_level=20)["id"]

    def placeholder_id(self):
        """Nobody's: who is imported comes from another server."""
        return 1

    def failed_id(self):
        """As above: what fails is on its way from another server."""
        return 1

    def deploy_token_id(self):
        return post(f"{self.owner()}/deploy_tokens", name="x", scopes=["read_registry"])["id"]

    def group_id(self):
        post(f"{self.owner()}/share", group_id=self.get("group_beside"), group_access=20)
        return self.get("group_beside")

    def group_beside(self):
        return self.group()

    def email(self):
        address = f"guest-{next(numbers)}@example.org"
        post(f"{self.owner()}/invitations", email=address, access_level=20)
        return address

    def email_id(self):
        owner = f"/users/{self.get('id')}" if self.path.startswith("/users/") else "/user"
        return post(f"{owner}/emails", email=f"second-{next(numbers)}@example.org")["id"]

    def package_protection_rule_id(self):
        rule = {"package_type": "generic", "minimum_access_level_for_push": "maintainer"}
        path = f"{self.owner()}/packages/protection/rules"
        return post(path, package_name_pattern=f"kept-{next(numbers)}", **rule)["id"]

    def cleanup_rule_id(self):
        path = f"{self.owner()}/packages/cleanup/rules"
        return post(path, package_type="generic", keep_last=1, enabled=True)["id"]

    def graphql_query_id(self):
        query = "{ echo(text: \"%d\") }" % next(numbers)
        return post("/application/graphql_queries", name="x", query=query)["id"]

    def package_name(self):
        if "/packages/pypi/" in self.path:
            self.get("distribution")
            return "hammer"
        path = f"{self.owner()}/packages/generic/hammer/1.0/hammer.bin"
        call("PUT", path, data=b"iron", params={"select": "package_file"})
        return "hammer"

    def publisher(self):
        """The project that publishes: the path's own, or one in its group."""
        if self.path.startswith("/projects/"):
            return self.get("id")
        name = f"project-{next(numbers)}"
        return post("/projects", name=name, namespace_id=self.get("id"), visibility="public")["id"]

    def distribution(self):
        content = packed("hammer-1.0/PKG-INFO", b"Name: hammer\nVersion: 1.0\n")
        self.made["sha256"] = hashlib.sha256(content).hexdigest()
        path = f"/projects/{self.get('publisher')}/packages/pypi"
        files = {"content": ("hammer-1.0.tar.gz", content)}
        call("POST", path, data={"name": "hammer", "version": "1.0"}, files=files)
        return "hammer-1.0.tar.gz"

    def channel(self):
        return "stable"

    def chart_file(self):
        own = b"apiVersion: v2\nname: hammer\nversion: 1.0.0\n"
        files = {"chart": ("hammer.tgz", packed("hammer/Chart.yaml", own))}
        path = f"/projects/{self.get('publisher')}/packages/helm/api/stable/charts"
        call("POST", path, files=files)
        return "hammer-1.0.0.tgz"

    def sha256(self):
        self.get("distribution")
        return self.made["sha256"]

    def package_version(self):
        return "1.0"

    def file_path(self):
        is_new = "/repository/" in self.path and self.operation == "POST"
        return f"file-{next(numbers)}" if is_new else "hammer.bin"

    def history(self):
        """The repository of the path, with a file on its default branch."""
        path = f"/projects/{self.get('id')}/repository"
        self.change(path, "main", "hammer.bin")
        return path

    def change(self, path, branch, file):
        action = {"action": "create", "file_path": file, "content": "iron"}
        return post(f"{path}/commits", branch=branch, commit_message="a file", actions=[action])

    def branch(self):
        name = f"branch-{next(numbers)}"
        return post(f"{self.get('history')}/branches", branch=name, ref="main")["name"]

    def tag_name(self):
        name = f"tag-{next(numbers)}"
        tag = post(f"{self.get('history')}/tags", tag_name=name, ref="main")["name"]
        if "/releases/" in self.path:
            post(f"{self.owner()}/releases", tag_name=tag)
        return tag

    def link_id(self):
        links = f"{self.owner()}/releases/{self.get('tag_name')}/assets/links"
        name = f"link-{next(numbers)}"
        link = {"name": name, "url": f"https://files.example.org/{name}"}
        return call("POST", links, json=link)["id"]

    def suffix(self):
        return "assets/links"

    def asset_path(self):
        return "drawing.pdf"

    def forked_from_id(self):
        return self.project()

    def deploy_key_id(self):
        # One is taken from another project, which the caller knows.
        owner = f"/projects/{self.project()}" if self.path.endswith("/enable") else self.owner()
        return post(f"{owner}/deploy_keys", title="x", key=ssh_key())["id"]

    def key(self):
        """A CI/CD variable of the path."""
        owner = "/admin/ci" if self.path.startswith("/admin/") else self.owner()
        return post(f"{owner}/variables", key=f"KEY_{next(numbers)}", value="iron")["key"]

    def pipeline_file(self):
        """The project of a pipeline, with jobs that wait for a runner and for somebody."""
        apart = self.path.startswith(("/jobs/", "/pipelines/"))
        project = self.project() if apart else self.get("id")
        jobs = "run: {script: make, resource_group: forge}\nhold: {script: make, when: manual}\n"
        action = {"action": "create", "file_path": ".gitlab-ci.yml", "content": jobs}
        path = f"/projects/{project}/repository/commits"
        post(path, branch="main", commit_message="jobs [skip ci]", actions=[action])
        return f"/projects/{project}"

    def pipeline_id(self):
        return post(f"{self.get('pipeline_file')}/pipeline", ref="main")["id"]

    def advisories(self):
        """The answer to a file with an advisory of a new number."""
        one = {"id": f"MADE-{next(numbers)}", "modified": "2026-01-01T00:00:00Z", "summary": "x"}
        self.made["advisory"] = one["id"]
        return call("POST", "/admin/advisories", json=one)

    def load_id(self):
        return self.get("advisories")["id"]

    def advisory_id(self):
        self.get("advisories")
        own = f"{API}/admin/advisories/{self.made['advisory']}"
        return until(200, lambda: session.get(own, headers=ROOT))["id"]

    def export_id(self):
        """An export of a project of its own, or of the one that two are compared of."""
        project = self.get("id" if self.path.startswith("/projects/") else "project")
        exports = f"{API}/projects/{project}/dependency_list_exports"
        wanted = {"export_type": "cyclonedx_1_6_json"}
        # Others of root may be written, which is allowed so many at once.
        made = until(201, lambda: session.post(exports, headers=ROOT, json=wanted))["id"]
        own = f"{API}/dependency_list_exports/{made}"
        until(200, lambda: session.get(own, headers=ROOT))
        return made

    def runner(self):
        """A runner of the project that the path is about, or of one of its own."""
        whose = self.get("id") if self.path.startswith("/projects/") else self.get("project")
        return post("/user/runners", runner_type="project_type", project_id=whose)

    def runner_beside(self):
        """A runner of another project."""
        return post("/user/runners", runner_type="project_type", project_id=self.project())["id"]

    def runner_id(self):
        if self.path.startswith("/projects/") and self.operation == "DELETE":
            # It stays with the project that it was made for.
            other = self.runner_beside()
            post(f"{self.owner()}/runners", runner_id=other)
            return other
        return self.get("runner")["id"]

    def runner_of_job(self):
        """A runner that has the job of the path; the job with its token."""
        project = self.get("pipeline_file").removeprefix("/projects/")
        self.get("pipeline_id")
        runner = post("/user/runners", runner_type="project_type", project_id=int(project))
        return post("/jobs/request", {}, token=runner["token"])

    def done(self):
        """A job that left a file behind; the name of the branch."""
        job = self.get("runner_of_job")
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w") as members:
            members.writestr("hammer.bin", "iron")
        mine = {"JOB-TOKEN": job["token"]}
        path = f"/jobs/{job['id']}"
        files = {"file": ("artifacts.zip", archive.getvalue())}
        kind = {"artifact_type": "archive", "artifact_format": "zip"}
        call("POST", f"{path}/artifacts", mine, files=files, params=kind)
        if not self.path.startswith("/jobs/"):
            call("PUT", path, mine, json={"state": "success", "token": job["token"]})
        return "main"

    def ref_name(self):
        return self.get("done")

    def archive_path(self):
        self.get("done")
        return "hammer.bin"

    def machine(self):
        """A machine that uses the runner."""
        post("/runners/verify", {}, token=self.get("runner")["token"], system_id="s_1")
        return "s_1"

    def token_of_program(self):
        """What a runner, or the one with the job of the path, shows."""
        if self.path == "/runners":
            return post("/runners/reset_registration_token")["token"] if self.method == "POST" else self.get("runner")["token"]
        if self.path.startswith("/jobs/") and self.path != "/jobs/request":
            return self.get("runner_of_job")["token"]
        if self.path == "/jobs/request":
            self.get("pipeline_id")
        return self.get("runner")["token"]

    def pipeline_schedule_id(self):
        """A schedule of the path, of a branch with a pipeline file."""
        self.get("pipeline_id")
        given = {"description": "x", "ref": "main", "cron": f"0 4 {next(numbers) % 28 + 1} 1 *"}
        return post(f"{self.owner()}/pipeline_schedules", **given)["id"]

    def sbom_token(self):
        """Of a list of components that was sent to the project of the path."""
        path = f"{self.owner()}/sboms"
        return post(path, bomFormat="CycloneDX", specVersion="1.6", version=next(numbers))["token"]

    def schedule_key(self):
        path = f"{self.owner()}/pipeline_schedules/{self.get('pipeline_schedule_id')}/variables"
        return post(path, key=f"KEY_{next(numbers)}", value="iron")["key"]

    def trigger_id(self):
        return post(f"{self.owner()}/triggers", description="x")["id"]

    def target_project_id(self):
        """A project whose jobs enter the one of the path."""
        other = self.project()
        post(f"{self.owner()}/job_token_scope/allowlist", target_project_id=other)
        return other

    def target_group_id(self):
        """A group whose jobs enter the project of the path."""
        path = f"entering{next(numbers)}"
        group = post("/groups", name=path, path=path)["id"]
        post(f"{self.owner()}/job_token_scope/groups_allowlist", target_group_id=group)
        return group

    def resource_group(self):
        self.get("pipeline_id")
        return "forge"

    def job_id(self):
        """A job of the path that what is done to it can be done to."""
        if self.path.startswith("/jobs/") or "/artifacts" in self.path:
            if not self.path.startswith("/jobs/") or self.operation == "GET":
                self.get("done")
            return self.get("runner_of_job")["id"]
        jobs = call("GET", f"{self.owner()}/pipelines/{self.get('pipeline_id')}/jobs")
        ids = {job["name"]: job["id"] for job in jobs}
        if self.path.endswith("/play"):
            return ids["hold"]
        if self.path.endswith(("/retry", "/erase")):
            post(f"{self.owner()}/jobs/{ids['run']}/cancel")
        return ids["run"]

    def deployment(self):
        """A deployment of the path's project that something else made."""
        self.get("pipeline_id")
        commits = call("GET", f"{self.owner()}/repository/commits?ref_name=main")
        told = {"environment": f"e-{next(numbers)}", "sha": commits[0]["id"], "ref": "main"}
        return post(f"{self.owner()}/deployments", tag=False, status="failed", **told)

    def deployment_id(self):
        return self.get("deployment")["id"]

    def environment_id(self):
        return self.get("deployment")["environment"]["id"]

    def freeze_period_id(self):
        period = {"freeze_start": "0 0 * * *", "freeze_end": "0 1 * * *"}
        return post(f"{self.owner()}/freeze_periods", **period)["id"]

    def tier(self):
        """A tier of the path's group that is protected."""
        levels = [{"access_level": 40}]
        at = f"{self.owner()}/protected_environments"
        return post(at, name="other", deploy_access_levels=levels)["name"]

    def gpg_key_id(self):
        owner = f"/users/{self.get('id')}" if self.path.startswith("/users/") else "/user"
        return post(f"{owner}/gpg_keys", key=gpg_key())["id"]

    def slug(self):
        """A page of the wiki of the path."""
        return post(f"{self.owner()}/wikis", title=f"page-{next(numbers)}", content="a page")["slug"]

    def type(self):
        return "licenses" if self.path.startswith("/projects/") else "gitignores"

    def license(self):
        return "mit"

    def known_fingerprint(self):
        key = ssh_key()
        post("/user/keys", title="x", key=key)
        return fingerprint(key)

    def push_rule(self):
        """There is one, unless it is about to be made."""
        if self.operation != "POST":
            post(f"{self.owner()}/push_rule", max_file_size=5)

    def mirror_id(self):
        url = "https://ada:secret@git.example/x.git"
        return call("POST", f"{self.owner()}/remote_mirrors", json={"url": url})["id"]

    def repository_storage_move_id(self):
        """One that waits: none begins here."""
        first = self.path.split("/")[1]
        if first == "snippets" or first.startswith("snippet_"):
            place = f"/snippets/{self.get('snippet_id')}"
        elif first.endswith("_repository_storage_moves"):
            kind = first.split("_")[0]
            place = f"/{kind}s/{self.get(kind)}"
        else:
            place = self.owner()
        return post(f"{place}/repository_storage_moves", destination_storage_name="default")["id"]

    def pull_mirror(self):
        """Of a project that follows what is not there."""
        body = {"url": "https://git.example/x.git", "enabled": True}
        return call("PUT", f"{self.owner()}/mirror/pull", json=body)["id"]

    def blob_id(self):
        return call("GET", f"{self.get('history')}/tree")[0]["id"]

    def sha(self):
        """A commit that may be picked onto the default branch or reverted on it."""
        path = self.get("history")
        branch = self.get("branch") if self.path.endswith("/cherry_pick") else "main"
        return self.change(path, branch, f"file-{next(numbers)}")["id"]

    def submodule(self):
        return "parts"

    def module_path(self):
        project = call("GET", f"/projects/{self.get('project')}")["path_with_namespace"]
        return f"{urllib.parse.urlsplit(os.environ['TENON_URL']).hostname}/{project}/@v/list"

    def recipe(self):
        """`NAME/VERSION/USER/CHANNEL` of a new Conan recipe that has a manifest."""
        if self.path.startswith("/packages/"):
            project = post("/projects", name=f"project-{next(numbers)}", visibility="public")
            user = project["path_with_namespace"].replace("/", "+")
            project = project["id"]
        else:
            project, user = self.get("publisher"), "acme"
        recipe = f"hammer-{next(numbers)}/1.0/{user}/stable"
        place = f"/projects/{project}/packages/conan"
        if "/v2/" in self.path:
            file = f"v2/conans/{recipe}/revisions/{CONAN_REVISION}/files/conanmanifest.txt"
        else:
            file = f"v1/files/{recipe}/0/export/conanmanifest.txt"
            call("PUT", f"{place}/v1/files/{recipe}/0/export/conanfile.py", data=b"pass")
        call("PUT", f"{place}/{file}", data=b"1\n")
        return recipe

    def recipe_path(self):
        recipe = self.get("recipe")
        if "/v2/" not in self.path:
            return recipe + {"GET": "/digest", "POST": "/upload_urls"}.get(self.method, "")
        revision = f"{recipe}/revisions/{CONAN_REVISION}"
        return {"PUT": f"{revision}/files/conanfile.py", "DELETE": revision}.get(self.method, f"{recipe}/latest")

    def recipe_file(self):
        return f"{self.get('recipe')}/0/export/conanfile.py"

    def document(self):
        return "packages.json"

    def vendor(self):
        return "acme"

    def archive(self):
        return "anvil.zip"

    def nuget_name(self):
        own = "<package><metadata><id>hammer</id><version>1.0.0</version></metadata></package>"
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w") as members:
            members.writestr("hammer.nuspec", own)
        path = f"/projects/{self.get('publisher')}/packages/nuget"
        call("PUT", path, files={"package": ("package.nupkg", archive.getvalue())})
        return "hammer"

    def nuget_version(self):
        return "1.0.0"

    def nuget_leaf(self):
        return "1.0.0.json"

    def nuget_file(self):
        return "hammer.1.0.0.nupkg"

    def odata(self):
        return "Packages()"

    def symbol_file(self):
        return "hammer.pdb"

    def signature(self):
        return "ffffffff"

    def same_file(self):
        return "hammer.pdb"

    def module_namespace(self):
        return "root"

    def module_name(self):
        name = f"anvil-{next(numbers)}"
        if not self.path.startswith("/projects/"):
            project = self.get("project")
        elif self.path.endswith("/file"):
            return name  # It is new there.
        else:
            project = self.get("id")
        module = f"/projects/{project}/packages/terraform/modules/{name}/local/1.0.0/file"
        call("PUT", module, data=b"a module")
        return name

    def module_system(self):
        return "local"

    def module_version(self):
        return "1.0.0"

    def artifact_path(self):
        project, name = self.get("id") if self.path.startswith("/projects/") else None, "acme/anvil"
        if project is None:
            within = {"namespace_id": self.get("id")} if self.path.startswith("/groups/") else {}
            own = f"project-{next(numbers)}"
            made = post("/projects", name=own, visibility="public", **within)
            project, name = made["id"], made["path_with_namespace"]
        path = f"{name}/1.0/anvil-1.0.jar"
        call("PUT", f"/projects/{project}/packages/maven/{path}", data=b"a jar")
        return path

    def package_id(self):
        self.get("package_name")
        return call("GET", f"{self.owner()}/packages")[0]["id"]

    def package_file_id(self):
        return call("GET", f"{self.owner()}/packages/{self.get('package_id')}/package_files")[0]["id"]

    def package_path(self):
        name = f"@root/hammer-{next(numbers)}"
        if self.path.startswith("/projects/"):
            project = self.get("id")
        elif self.path.startswith("/groups/"):
            inside = {"namespace_id": self.get("id"), "visibility": "public"}
            project = post("/projects", name=f"project-{next(numbers)}", **inside)["id"]
        else:
            project = self.project()
        call("PUT", f"/projects/{project}/packages/npm/{name}", json=npm_publication(name))
        return name

    def tags_path(self):
        tags = f"{self.get('package_path')}/dist-tags"
        return tags + "/latest" if self.method == "DELETE" else tags

    def name(self):
        """The name of what is protected, or of a template."""
        if "/templates/" in self.path:
            return "mit" if self.path.startswith("/projects/") else "Rust"
        if "/protected_environments/" in self.path:
            levels = [{"access_level": 40}]
            at = f"{self.owner()}/protected_environments"
            return post(at, name=f"e-{next(numbers)}", deploy_access_levels=levels)["name"]
        kind = "protected_tags" if "/protected_tags/" in self.path else "protected_branches"
        return post(f"{self.owner()}/{kind}", name=f"kept-{next(numbers)}")["name"]

    def board_id(self):
        return post(f"{self.owner()}/boards", name="x")["id"]

    def list_id(self):
        lists = f"{self.owner()}/boards/{self.get('board_id')}/lists"
        made = [post(lists, label_id=self.label_id())["id"] for _ in range(2)]
        return made[0]

    def label_id(self):
        label = post(f"{self.owner()}/labels", name=f"label-{next(numbers)}", color="red")["id"]
        if self.path.endswith("/unsubscribe"):
            post(f"{self.owner()}/labels/{label}/subscribe")
        return label

    def milestone_id(self):
        return post(f"{self.owner()}/milestones", title=f"milestone-{next(numbers)}")["id"]

    def issue(self):
        """The issue of the path, with one event of each kind."""
        path = f"/projects/{self.get('id')}/issues"
        made = post(path, title="an issue")
        goal = post(f"/projects/{self.get('id')}/milestones", title=f"goal-{next(numbers)}")["id"]
        own = f"{path}/{made['iid']}"
        change = {"add_labels": "bug", "milestone_id": goal, "weight": 2, "state_event": "close"}
        call("PUT", own, json=change)
        if self.path.endswith("/subscribe"):
            post(f"{own}/unsubscribe")
        return own

    def epic(self):
        """The epic of the path, with one event of each kind."""
        own = f"{self.owner()}/epics/{self.epic_beside()['iid']}"
        call("PUT", own, json={"add_labels": "bug", "state_event": "close"})
        if self.path.endswith("/subscribe"):
            post(f"{own}/unsubscribe")
        elif self.path.endswith("/unsubscribe"):
            post(f"{own}/subscribe")
        return own

    def epic_beside(self):
        return post(f"{self.owner()}/epics", title="an epic")

    def epic_iid(self):
        return int(self.get("epic").rsplit("/", 1)[-1])

    def child_epic_id(self):
        return self.epic_beside()["id"] if self.operation == "POST" else self.child()

    def child(self):
        child = self.epic_beside()["id"]
        post(f"{self.get('epic')}/epics/{child}")
        return child

    def epic_issue_id(self):
        return self.issue_for_epic() if self.operation == "POST" else self.issue_of_epic()

    def issue_for_epic(self):
        return post(f"/projects/{self.get('publisher')}/issues", title="an issue")["id"]

    def issue_of_epic(self):
        return post(f"{self.get('epic')}/issues/{self.issue_for_epic()}")["id"]

    def related_epic_link_id(self):
        other = {"target_group_id": self.get("id"), "target_epic_iid": self.epic_beside()["iid"]}
        return post(f"{self.get('epic')}/related_epics", **other)["id"]

    def noteable(self):
        """What notes of the path are about."""
        if "/repository/commits/" in self.path:
            return f"{self.owner()}/repository/commits/{self.get('sha')}"
        kinds = {"epic": "epic", "snippet": "snippet", "merge_request": "request"}
        made = [name for kind, name in kinds.items() if f"/{kind}s/" in self.path]
        return self.get(made[0] if made else "issue")

    def snippet(self):
        owner = self.owner() if self.path.startswith("/projects/") else ""
        files = [{"file_path": "hammer.bin", "content": "iron"}]
        made = post(f"{owner}/snippets", title="a snippet", visibility="public", files=files)
        return f"{owner}/snippets/{made['id']}"

    def snippet_id(self):
        return int(self.get("snippet").rsplit("/", 1)[-1])

    def ref(self):
        return "main"

    def todo_issue(self):
        return post(f"/projects/{self.get('project')}/issues", title="an issue")["iid"]

    def issue_iid(self):
        return int(self.get("issue").rsplit("/", 1)[-1])

    def issue_link_id(self):
        target = {"target_project_id": self.get("id"), "target_issue_iid": self.target_issue_iid()}
        post(f"{self.get('issue')}/links", **target)
        return call("GET", f"{self.get('issue')}/links")[0]["issue_link_id"]

    def target_issue_iid(self):
        return post(f"/projects/{self.get('id')}/issues", title="another")["iid"]

    def discussion_id(self):
        made = post(f"{self.noteable()}/discussions", body="a note")
        self.made["note_id"] = made["notes"][0]["id"]
        return made["id"]

    def note_id(self):
        self.get("discussion_id")
        return self.made["note_id"]

    def award_id(self):
        return post(f"{self.noteable()}/award_emoji", name="rocket")["id"]

    def award_of_note_id(self):
        return post(f"{self.noteable()}/notes/{self.get('note_id')}/award_emoji", name="rocket")["id"]

    def event_of(self, kind):
        return call("GET", f"{self.noteable()}/resource_{kind}_events")[0]["id"]

    def state_event_id(self):
        return self.event_of("state")

    def label_event_id(self):
        return self.event_of("label")

    def milestone_event_id(self):
        return self.event_of("milestone")

    def weight_event_id(self):
        return self.event_of("weight")

    def tracker(self):
        """Switches error tracking of the project on."""
        path = f"{self.owner()}/error_tracking/settings"
        call("PUT", path, json={"active": True, "integrated": True})

    def key_id(self):
        if "/user" in self.path:
            owner = "/user" if self.path.startswith("/user/") else f"/users/{self.get('id')}"
            return post(f"{owner}/keys", title="x", key=ssh_key())["id"]
        return post(f"{self.owner()}/error_tracking/client_keys")["id"]

    def error_id(self):
        self.get("tracker")
        key = post(f"{self.owner()}/error_tracking/client_keys")["public_key"]
        path = f"/error_tracking/collector/api/{self.get('id')}/store?sentry_key={key}"
        call("POST", path, json={"message": "it broke"})
        return call("GET", f"{self.owner()}/error_tracking/errors")[0]["id"]

    def integration_id(self):
        path = f"{self.owner()}/alert_management/http_integrations"
        return post(path, name="an integration", active=True)["id"]

    def alert_iid(self):
        integration = f"{self.owner()}/alert_management/http_integrations/{self.get('integration_id')}"
        return post(f"{integration}/test", payload={"title": f"alert-{next(numbers)}"})[0]["iid"]

    def window_id(self):
        path = f"{self.owner()}/alert_management/maintenance_windows"
        return post(path, name="a window", ends_at="2100-01-01")["id"]

    def schedule_iid(self):
        path = f"{self.owner()}/alert_management/oncall_schedules"
        return post(path, name=f"schedule-{next(numbers)}", timezone="UTC")["iid"]

    def rotation_id(self):
        path = f"{self.owner()}/alert_management/oncall_schedules/{self.get('schedule_iid')}/rotations"
        turns = {"starts_at": "2031-01-01", "length": 1, "length_unit": "days", "user_ids": [1]}
        return post(path, name=f"rotation-{next(numbers)}", **turns)["id"]

    def policy_id(self):
        rule = {"elapsed_time_seconds": 0, "status": "resolved", "user_id": 1}
        path = f"{self.owner()}/alert_management/escalation_policies"
        return post(path, name="a policy", rules=[rule])["id"]

    def image_id(self):
        path = f"{self.owner()}/alert_management_alerts/{self.get('alert_iid')}/metric_images"
        head = "--xx\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a.gif\"\r\n\r\n"
        body = head.encode() + GIF + b"\r\n--xx--\r\n"
        headers = ROOT | {"Content-Type": "multipart/form-data; boundary=xx"}
        return call("POST", path, headers, data=body)["id"]

    def audit_event_id(self):
        return call("GET", "/audit_events")[0]["id"]

    # Bodies: what must exist, and what must be new.

    def scopes(self):
        if self.path.startswith("/applications"):
            return "api"
        if self.path.endswith("/deploy_tokens"):
            return ["read_registry"]
        return ["self_rotate" if self.path.startswith("/user/") else "api"]

    def new_key(self):
        if "/variables" in self.path:
            return f"KEY_{next(numbers)}"
        return gpg_key() if "/gpg_keys" in self.path else ssh_key()

    def asked(self, query):
        """The query, with things of the repository where the generator had none."""
        known = {
            "ref": lambda: "main",
            "job": lambda: "run",
            "system_id": lambda: "s_1",
            "from": lambda: "main",
            "to": lambda: "main",
            "refs[]": lambda: ["main", "main"],
            "commits[]": lambda: [self.sha()],
            "sha": lambda: "main",
            "branch": lambda: "main",
            "commit_message": lambda: "a change",
            "version": lambda: "1.0.0",
        }
        return {
            key: known[key]() if key in known else value
            for key, value in query.items()
            if key not in UNKNOWN
        }

    def filled(self, body):
        """The body, with values where the generator had nothing to say."""
        name = f"made-{next(numbers)}"
        host = "127.0.0.1" if "remote-import" in self.path else "files.example.org"
        # Whose jobs enter a project are others than it.
        enters = "/job_token_scope/" in self.path
        if "/repository/" in self.path:
            body = {key: value for key, value in body.items() if key not in UNKNOWN}
        known = {
            "group_id": lambda: self.get("group_beside"),
            "parent_id": lambda: self.epic_beside()["id"]
            if "/epics" in self.path
            else self.get("group_beside"),
            "target_group_id": lambda: self.group() if enters else str(self.get("id")),
            "target_epic_iid": lambda: self.epic_beside()["iid"],
            "move_after_id": lambda: self.issue_of_epic()
            if "/issues/" in self.path
            else self.child(),
            "namespace_id": lambda: self.get("group_beside"),
            "namespace": lambda: str(self.get("group_beside")),
            "user_id": lambda: self.user() if body["user_id"] == 0 else [self.user()],
            "username": lambda: name,
            "email": lambda: f"{name}@example.org",
            "password": lambda: "plain-words-for-a-test",
            "name": lambda: "rocket" if self.path.endswith("/award_emoji") else name,
            "body": lambda: name,
            "title": lambda: name,
            "color": lambda: "red",
            "to_project_id": lambda: self.project(),
            "target_project_id": lambda: self.project() if enters else str(self.get("id")),
            "target_issue_iid": self.target_issue_iid,
            "source_branch": lambda: self.proposal()["source_branch"],
            "target_branch": lambda: "main",
            "blocking_merge_request_id": lambda: self.request_beside()["id"],
            "note": lambda: name,
            "duration": lambda: "1h",
            "label_id": lambda: str(self.get("label_id")),
            "key": self.new_key,
            "environment_scope": lambda: "*",
            "version": lambda: "1.0.0",
            "package_name": lambda: name,
            "package_version": lambda: "1.0",
            "project": lambda: str(self.get("project")),
            "from": lambda: "main",
            "url": lambda: f"https://{host}/{name}",
            "destination_storage_name": lambda: "default",
            "path": lambda: name,
            "scopes": self.scopes,
            "runner_type": lambda: "instance_type",
            "licenses": lambda: ["MIT"],
            "runner_id": lambda: self.runner_beside(),
            "system_id": lambda: self.get("machine") if self.path == "/runners/managers" else name,
            "state": lambda: "running" if self.path.startswith("/jobs/") else body["state"],
            "token": lambda: self.get("token_of_program"),
            "redirect_uri": lambda: CALLBACK,
            "access_level": lambda: 20,
            "group_access": lambda: 20,
            "expires_at": lambda: TOMORROW,
            "ends_at": lambda: "2100-01-01",
            "timezone": lambda: "UTC",
            "length": lambda: 1,
            "user_ids": lambda: [1],
            "ids": lambda: [self.suggestion()],
            "commits": lambda: [self.sha()],
            "branch": lambda: name if self.path.endswith("/branches") else "main",
            "ref": lambda: "main",
            # Nobody else is asked for anything.
            "provider_a_hostname": lambda: "http://127.0.0.1",
            "provider_b_server_url": lambda: "http://127.0.0.1",
            "tag_name": lambda: name,
            "commit_message": lambda: name,
            "content": lambda: name,
            "actions": lambda: [{"action": "create", "file_path": name, "content": "iron"}],
            "author_email": lambda: f"{name}@example.org",
            "rules": lambda: [{"elapsed_time_seconds": 0, "status": "resolved", "user_id": 1}],
        }
        if "/epics/" in self.path:
            body = {key: value for key, value in body.items() if key != "move_before_id"}
        if "name" in body and "label_id" in body:
            body = {key: value for key, value in body.items() if key != "name"}
        if "user_id" in body and body.get("username") == []:
            body = {key: value for key, value in body.items() if key != "username"}
        return {
            key: known[key]() if key in known and value in FILLERS else value
            for key, value in body.items()
        }


def world_of(case):
    """The things of the case's operation. An operation has one thread."""
    label = case.operation.label
    if getattr(worlds, "label", None) != label:
        path = case.path.removeprefix("/api/v4")
        worlds.label = label
        worlds.world = World(path, case.method, case.operation.method.upper())
    return worlds.world


@schemathesis.hook
def before_call(context, case, kwargs):
    world = world_of(case)
    data = case.meta.phase.data
    for name, value in list(case.path_parameters.items()):
        about_itself = data.parameter_location == ParameterLocation.PATH
        if not about_itself or str(value) in ("1", "root"):
            case.path_parameters[name] = world.get(name)
    if "/repository/" in case.path:
        world.get("history")
    asks = ("/repository/", "/artifacts", "/pipelines/latest", "/context_commits")
    if any(part in case.path for part in asks) or case.path in PROGRAMS:
        if data.parameter_location != ParameterLocation.QUERY:
            case.query = world.asked(case.query)
    needs = {"/snapshot": "history", "/releases": "history", "/permalink/": "tag_name", "/storage": "history", "/push_rule": "push_rule", "/mirror/pull": "pull_mirror", "/pipelines/latest": "pipeline_id"}
    of_project = case.path.startswith("/api/v4/projects/")
    if case.path.endswith("/{id}/pipeline"):
        world.get("pipeline_file")
    for part, needed in needs.items():
        if part in case.path and (of_project or (part == "/push_rule" and "/groups/" in case.path)):
            world.get(needed)
    if case.path.endswith("/dependencies/compare"):
        if data.parameter_location != ParameterLocation.QUERY:
            case.query = {"from": world.get("export_id"), "to": world.get("export_id")}
    if case.path == "/api/v4/keys":
        case.query = {"fingerprint": world.get("known_fingerprint")}
    if isinstance(case.body, dict):
        case.body = world.filled(case.body)
        # What runs beside this would find the instance closed.
        for name in CLOSING:
            case.body.pop(name, None)
    case.headers["PRIVATE-TOKEN"] = ROOT["PRIVATE-TOKEN"]
    if "/error_tracking/" in case.path and case.path.endswith(
        ("/dropped_events", "/errors", "/settings")
    ):
        world.get("tracker")
    if "/self" in case.path:
        case.headers.update(World("").user_headers())
    if case.path.startswith("/api/v4/jobs/{") and "/artifacts" in case.path:
        case.headers["JOB-TOKEN"] = world.get("token_of_program")
    elif case.path == "/api/v4/jobs/request" or case.path in PROGRAMS:
        case.headers["RUNNER-TOKEN"] = world.get("token_of_program")
    if case.path == "/api/v4/runners/managers":
        world.get("machine")
    if case.method == "POST" and case.path.endswith("/access_requests"):
        case.headers.update(world.get("user_headers"))


@schemathesis.hook
def after_call(context, case, response):
    asked = case.method == case.operation.method.upper()
    if not asked or not 200 <= response.status_code < 300:
        return
    accepted.add(case.operation.label)
    path = case.path.removeprefix("/api/v4")
    if case.method == "PUT" and path in SETTINGS:
        call("PUT", path, json=settings[path])
    if case.method == "DELETE" or path.rsplit("/", 1)[-1] in USING_UP:
        worlds.label = None


@atexit.register
def tell():
    with open(os.environ["TENON_ACCEPTED"], "w") as file:
        json.dump(sorted(accepted), file)


# More variables of the instance are made here than it has room for.
call("PUT", "/application/plan_limits", json={"ci_instance_level_variables": 0})
# More archives than anybody needs are asked for here.
call("PUT", "/application/settings", json={"archive_requests_per_minute": 0})
# More files of projects are asked for here, too.
call("PUT", "/application/settings", json={"project_export_limit": 0, "project_import_limit": 0})
# What is moved would be read-only for a moment, to whoever makes something there.
call("PUT", "/application/settings", json={"repository_storage_moves_at_once": 0})
settings = {path: call("GET", path) for path in SETTINGS}
