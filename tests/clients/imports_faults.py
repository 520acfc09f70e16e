"""Imports from servers that do ill, and requests that ask for what must not be: each is refused
or ends with a reason, and none of them reaches what it may not reach."""

import concurrent.futures
import io
import itertools
import os
import pathlib
import tarfile
import threading
import time

import requests

import stories
from as_root import ROOT
from imported import ENDED, HEADERS, ask, ended, failed, finished, near, same, shown

# The doubles, which are found by now.
import provider_b_server
from provider_a import TOKEN, ProviderA, at, user
from provider_b_cloud import ProviderBCloud
from provider_b_server import ProviderBServer
from served import Answer, Repositories, Served

FULL = bool(os.environ["TENON_FULL"])
MAIL = pathlib.Path(os.environ["TENON_MAIL"])
MEGABYTE = b" " * (1 << 20)
NAME = "/repos/acme/anvil"

THERE = Served(port=int(os.environ["UPSTREAM_PORT"]))
# Nobody may ever come here.
FORBIDDEN = Served()
GIT = Repositories(lambda asked: (asked.password() or ("", ""))[1] in (TOKEN, provider_b_server.SECRET))
for one in (THERE, FORBIDDEN):
    one.__enter__()
(GIT.root / "acme").mkdir()
GIT.begin("acme/anvil")
GIT.commit("acme/anvil", {"README.md": "# Anvil\n"})
GIT.push("acme/anvil", "main")
BOTH = (ProviderBServer(THERE.url, GIT), ProviderBCloud(THERE.url, GIT))
THERE.parts = [BOTH[0].answer, BOTH[1].answer, GIT.answer]
numbers = itertools.count(1)


def issue(number, **more):
    return {
        "id": 100 + number, "number": number, "title": f"Issue {number}", "body": "", "state": "open",
        "user": user("ada"), "labels": [], "assignees": [], "milestone": None, "created_at": at(number),
        "updated_at": at(number), **more,
    }  # fmt: skip


def ill(faults=(), git="acme/anvil", **more):
    """A double with one repository that does what is said in place of answers."""
    double = ProviderA(api=f"/api/ill-{next(numbers)}")
    double.url = THERE.url
    double.repository(1, "acme/anvil", has_wiki=False, clone_url=f"{THERE.url}/{git}.git", **more)
    double.add(f"{NAME}/labels", {"name": "bug", "color": "f29513", "description": None})
    double.add(f"{NAME}/issues", issue(1), issue(2))
    double.faults = dict(faults)
    THERE.parts.insert(0, double.answer)
    return double


def wish(double, **wanted):
    usual = {"personal_access_token": TOKEN, "repo_id": 1, "target_namespace": "root",
             "new_name": f"ill-{next(numbers)}", "provider_a_hostname": THERE.url + double.api}  # fmt: skip
    return ask("/import/provider_a", **{**usual, **wanted})


def begin(double, **wanted):
    answer = wish(double, **wanted)
    assert answer.status_code == 201, answer.text
    return answer.json()


def text(answer):
    """What a refusal says."""
    body = answer.json()
    told = body.get("errors") or body.get("error") or body["message"]
    return told["error"] if isinstance(told, dict) and "error" in told else str(told)


def refused(status, answer, words=""):
    assert answer.status_code == status, (answer.status_code, answer.text)
    assert words in text(answer), answer.text


def setback(record):
    """Why an import failed, or waits; it is given up then."""
    told = stories.until(lambda: shown(record["id"]), lambda it: it["import_status"] in ENDED or it["last_error"])
    assert told["import_status"] != "finished", told
    ask(f"/projects/{record['id']}/import/cancel")
    return told["import_error"] or told["last_error"]


def nobody_came():
    assert not FORBIDDEN.seen, [asked.path for asked in FORBIDDEN.seen]


# Addresses


def test_addresses_that_lead_inside_are_refused():
    port = FORBIDDEN.host.split(":")[1]
    inside = [
        f"http://127.0.0.1:{port}", f"http://localhost:{port}", f"http://2130706433:{port}",
        f"http://0x7f.1:{port}", f"http://[::1]:{port}", f"http://[::ffff:127.0.0.1]:{port}",
        f"http://0.0.0.0:{port}", "http://169.254.169.254", "http://10.0.0.1", "http://192.168.1.1",
        "http://100.64.0.1", "http://255.255.255.255",
    ]  # fmt: skip
    strange = [
        f"http://example.com@127.0.0.1:{port}", f"http://127.0.0.1:{port}#@example.com", "file:///etc/passwd",
        "gopher://127.0.0.1:70", "ftp://127.0.0.1", "http://",
    ]  # fmt: skip
    server = {"provider_b_server_username": "a", "personal_access_token": "b", "provider_b_server_project": "P",
              "provider_b_server_repo": "r"}  # fmt: skip
    for address in [*inside, *strange]:
        for_a = ask("/import/provider_a", personal_access_token="t", repo_id=1, target_namespace="root",
                    provider_a_hostname=address)  # fmt: skip
        refused(400, for_a, "Invalid URL: ")
        refused(400, ask("/import/provider_b_server", provider_b_server_url=address, **server), "Invalid URL: ")
    refused(400, ask("/import/provider_b_cloud", provider_b_cloud_username="a", provider_b_cloud_app_password="b",
                     repo_path="a/b", target_namespace="root"), "not allowed")  # fmt: skip
    answer = ask("/projects/remote-import", url=f"http://127.0.0.1:{port}/a.tar.gz", path="remote")
    assert answer.status_code in (400, 422), answer.text
    nobody_came()


def test_nothing_is_followed_inside():
    # This place alone may be reached from here on.
    stories.api("PUT", "/application/settings", outbound_local_requests_allowlist=[THERE.host],
                max_attachment_size=1, project_import_limit=0)  # fmt: skip
    leads = lambda asked: Answer(b"", 302, {"Location": f"{FORBIDDEN.url}{asked.path}"})
    answer = wish(ill({"/user": leads}))
    assert answer.status_code in (400, 422), answer.text
    error = failed(begin(ill({f"{NAME}/labels": leads}), optional_stages={"collaborators_import": False}))
    assert error and FORBIDDEN.host not in error, error
    moved = lambda asked: leads(asked) if asked.path.startswith("/acme/moved") else None
    THERE.parts.insert(0, moved)
    error = setback(begin(ill(git="acme/moved")))
    assert error.startswith("Failed to import the repository"), error
    foreign = ill()
    foreign.things[NAME]["clone_url"] = f"{FORBIDDEN.url}/acme/anvil.git"
    finished(begin(foreign))
    nobody_came()


def test_lists_do_not_go_on_elsewhere_or_for_ever():
    link = lambda url: lambda asked: Answer([{"name": "a", "color": "f29513"}], 200, {"Link": f'<{url}>; rel="next"'})
    here = ill()
    here.faults[f"{NAME}/labels"] = link(f"{THERE.url}{here.api}{NAME}/labels?page=2")
    away = begin(ill({f"{NAME}/labels": link(f"{FORBIDDEN.url}/labels")}))
    round_and_round = begin(here)
    same(failed(away), "Invalid pagination URL")
    assert failed(round_and_round), "it ends"
    nobody_came()
    if FULL:
        pages = itertools.count(2)
        on = ill()
        on.faults[f"{NAME}/labels"] = lambda asked: link(f"{THERE.url}{on.api}{NAME}/labels?page={next(pages)}")(asked)
        assert "more pages" in failed(begin(on))


# What is answered


def test_answers_that_are_none():
    sent = []

    def endless(asked):
        def pieces():
            yield b'[{"name": "'
            for _ in range(10_240):
                sent.append(1)
                yield MEGABYTE

        return Answer(pieces())

    begun = {
        "html": begin(ill({f"{NAME}/labels": lambda asked: Answer(b"<html>", kind="text/html")})),
        "huge": begin(ill({f"{NAME}/labels": endless})),
        "no list": begin(ill({f"{NAME}/labels": lambda asked: Answer({"message": "x"})})),
        "cut": begin(ill({f"{NAME}/labels": lambda asked: Answer(b'[{"name": "a"', kind="application/json")})),
        "deep": begin(ill({f"{NAME}/labels": lambda asked: Answer(b"[" * 100_000)})),
        "empty": begin(ill({f"{NAME}/labels": lambda asked: Answer(b"")})),
    }  # fmt: skip
    errors = {name: failed(record) for name, record in begun.items()}
    assert all(errors.values()), errors
    same(errors["html"], "Response is not valid JSON")
    assert "too large" in errors["huge"] and len(sent) < 200, (errors, len(sent))


def test_what_is_wrong_in_a_list_is_lost_alone():
    wrong = [
        {**issue(3), "number": "three"}, 7, None, {**issue(4), "created_at": "yesterday"}, {**issue(5), "user": 5},
        {**issue(6), "title": None}, {**issue(7), "number": -1}, {**issue(8), "number": 2**63 - 1},
    ]  # fmt: skip
    right = [
        issue(10, user=None, assignees=[user("ben")], body=None), issue(11, title="a\x00b", body="\x00"),
        issue(12, title="x" * 5000, labels=["plain", {"name": None}]),
    ]  # fmt: skip
    double = ill()
    double.lists[f"{NAME}/issues"] = [*wrong, *right]
    project, told = finished(begin(double))
    iids = {one.iid: one for one in project.issues.list(get_all=True)}
    assert {10, 11, 12} <= iids.keys() and not {3, 4, 5, 6, -1} & iids.keys(), iids.keys()
    lost = [one for one in told["failed_relations"] if one["relation_name"] == "issue"]
    assert len(lost) >= 6, told
    same(iids[10].author["username"].startswith("ghost"), True)
    assert len(iids[12].title) <= 255


def test_secrets_are_masked():
    says = lambda status: lambda asked: Answer({"message": f"the token {TOKEN} is bad"}, status)
    answer = wish(ill({"/repositories/1": says(418), NAME: says(418)}))
    refused(422, answer, "*****")
    record = begin(ill({f"{NAME}/labels": says(400)}))
    error = failed(record)
    assert "*****" in error, error
    waits = begin(ill({f"{NAME}/labels": says(500)}))
    told = stories.until(lambda: shown(waits["id"]), lambda it: it["last_error"])
    everything = answer.text + error + str(told) + str(stories.api("GET", f"/projects/{record['id']}/import"))
    assert TOKEN not in everything, everything
    ask(f"/projects/{waits['id']}/import/cancel")


def test_refusals_of_provider_a_are_told():
    no = lambda status: lambda asked: Answer({"message": "No"}, status)
    refused(401, wish(ill(), personal_access_token="other"), "Access denied to your Provider A account.")
    refused(422, wish(ill(), repo_id=404), "Import failed because of a Provider A error: ")
    refused(422, wish(ill({NAME: no(403)})), "does not have read access to the repository")
    refused(422, wish(ill({f"{NAME}/collaborators": no(403)})), "does not have read access to collaborators")
    refused(422, wish(ill(), target_namespace="nowhere"), "does not exist")
    refused(422, wish(ill(), new_name="-bad-"))
    refused(422, wish(ill(full_name="../../etc")))
    refused(400, wish(ill(), target_namespace=" / "), "target_namespace is empty")
    for name, value in (("pagination_limit", 0), ("pagination_limit", 101), ("timeout_strategy", "never"),
                        ("repo_id", "one"), ("user_map", {"ada": "nobody-here"})):  # fmt: skip
        answer = wish(ill(), **{name: value})
        assert answer.status_code in (400, 422), (name, value, answer.text)
    taken = begin(ill())
    refused(422, wish(ill(), new_name=taken["name"]), "has already been taken")
    anonymous = requests.post(f"{stories.URL}/api/v4/import/provider_a", json={}, timeout=30)
    same(anonymous.status_code, 401)
    sources = ["provider_b_cloud", "git", "project_file"]
    stories.api("PUT", "/application/settings", import_sources=sources)
    refused(403, wish(ill()), "provider_a import source is disabled")
    stories.api("PUT", "/application/settings", import_sources=[*sources, "provider_a", "provider_b_server"])


def test_refusals_of_provider_b_are_told():
    server = {"provider_b_server_url": THERE.url, "provider_b_server_username": "ada",
              "personal_access_token": provider_b_server.SECRET, "provider_b_server_project": "PRJ",
              "provider_b_server_repo": "tool"}  # fmt: skip
    wish = lambda **more: ask("/import/provider_b_server", **{**server, **more})
    refused(401, wish(personal_access_token="other"))
    refused(422, wish(provider_b_server_repo="none"), "Project PRJ/none could not be found")
    page = lambda asked: Answer(b"<html>", kind="text/html") if asked.path.startswith("/page/") else None
    THERE.parts.insert(0, page)
    refused(400, wish(provider_b_server_url=f"{THERE.url}/page"), "Response is not valid JSON")
    refused(422, wish(target_namespace="-/-"))
    cloud = {"provider_b_cloud_username": "ada@example.com", "provider_b_cloud_app_password": "b-cloud-1",
             "repo_path": "works/none", "target_namespace": "root"}  # fmt: skip
    refused(422, ask("/import/provider_b_cloud", **cloud), "Project works/none could not be found")
    refused(401, ask("/import/provider_b_cloud", **{**cloud, "provider_b_cloud_app_password": "other"}),
            "Unable to authorize with Provider B Cloud. Check your credentials")  # fmt: skip
    for path in ("../..", "works", "a/b/c", "works/../../user"):
        answer = ask("/import/provider_b_cloud", **{**cloud, "repo_path": path})
        assert answer.status_code in (400, 422), (path, answer.text)


# Who is away, or wants to be asked later


def once(answer):
    """Answers so the first time, and as usual from then on."""
    left = [answer]
    return lambda asked: left.pop() if left else None


def test_who_comes_back_is_asked_again():
    limited = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(time.time()) + 2)}
    stopped = ill({f"{NAME}/labels": once(Answer({"message": "limit"}, 403, limited))})
    begun = {
        "limited": begin(stopped),
        "later": begin(ill({f"{NAME}/labels": once(Answer({}, 429, {"Retry-After": "1"}))})),
        "broken": begin(ill({f"{NAME}/labels": once(Answer(b"oh", 502))})),
    }
    told = stories.until(lambda: shown(begun["limited"]["id"]), lambda it: it["waits_until"])
    same(told["import_status"], "started")
    # The same token is not used meanwhile, whoever has it.
    refused(429, wish(stopped), "Too Many Requests")
    for record in begun.values():
        project, _ = finished(record)
        same(len(project.issues.list(get_all=True)), 2)


def test_who_never_answers_is_not_waited_for():
    if not FULL:
        return
    never = threading.Event()
    answer = wish(ill({"/user": lambda asked: never.wait(90) and None}))
    assert answer.status_code == 422 and answer.elapsed.total_seconds() < 80, (answer.text, answer.elapsed)
    never.set()


# Giving up


def cancel(project_id, headers=HEADERS):
    return requests.post(f"{stories.URL}/api/v4/import/provider_a/cancel", headers=headers, timeout=30,
                         json={"project_id": project_id})  # fmt: skip


def test_imports_are_given_up_while_they_can_be():
    waiting = begin(ill({f"{NAME}/labels": lambda asked: Answer({}, 503)}), target_namespace="root")
    stories.until(lambda: shown(waiting["id"]), lambda it: it["last_error"])
    reader = ROOT.users.create({"username": "reader", "name": "Reader", "email": "reader@example.org",
                                "password": "plain-words-for-a-test", "skip_confirmation": True})  # fmt: skip
    token = stories.api("POST", f"/users/{reader.id}/personal_access_tokens", name="own", scopes=["api"])["token"]
    theirs = {"PRIVATE-TOKEN": token}
    project = ROOT.projects.get(waiting["id"])
    project.visibility = "private"
    project.save()
    same(cancel(waiting["id"], theirs).status_code, 404)
    project.members.create({"user_id": reader.id, "access_level": 20})
    refused(403, cancel(waiting["id"], theirs), "Unauthorized access")
    given_up = cancel(waiting["id"])
    same((given_up.status_code, given_up.json()["import_status"]), (200, "canceled"))
    done, broken = begin(ill()), begin(ill({f"{NAME}/labels": lambda asked: Answer(b"<", kind="text/html")}))
    finished(done)
    failed(broken)
    for record, status in ((waiting, "canceled"), (done, "finished"), (broken, "failed")):
        refused(400, cancel(record["id"]), f"The import cannot be canceled because it is {status}")
    same(cancel(999_999).status_code, 404)
    bare = ROOT.projects.create({"name": "no-import"})
    same(cancel(bare.id).status_code, 404)
    before = len(ROOT.projects.get(waiting["id"]).issues.list(get_all=True))
    asked = len(THERE.seen)
    time.sleep(0.5)
    same((len(THERE.seen), before), (asked, 0))
    # Only administrators say who others are.
    answer = requests.post(f"{stories.URL}/api/v4/import/provider_a", headers=theirs, timeout=30, json={
        "personal_access_token": TOKEN, "repo_id": 1, "target_namespace": "reader",
        "provider_a_hostname": THERE.url + ill().api, "user_map": {"ada": "root"}})  # fmt: skip
    same(answer.status_code, 403)


def test_what_failed_is_tried_again_where_it_stood():
    double = ill({f"{NAME}/milestones": lambda asked: Answer(b"<html>", kind="text/html")})
    record = begin(double)
    failed(record)
    double.faults.clear()
    labels = lambda: sum(asked.path.endswith("/labels") and asked.path.startswith(double.api) for asked in THERE.seen)
    before = labels()
    refused(400, ask(f"/projects/{record['id']}/import/retry"))
    answer = ask(f"/projects/{record['id']}/import/retry", personal_access_token=TOKEN)
    same(answer.status_code, 201)
    project, _ = finished(record)
    same((labels(), len(project.issues.list(get_all=True))), (before, 2))


# Files


def test_files_that_are_too_large_or_elsewhere_stay_there():
    double = ill()
    big, local = f"{THERE.url}/acme/anvil/assets/1/big.bin", f"{FORBIDDEN.url}/acme/anvil/assets/2/a.png"
    leads = f"{THERE.url}/acme/anvil/assets/3/moved.png"
    body = f"[big]({big}) ![a]({local}) ![b]({leads}) ![c](file:///etc/passwd)"
    double.lists[f"{NAME}/issues"] = [issue(1, body=body)]
    oid = "ab" * 32
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize 12\n"
    GIT.begin("acme/large")
    GIT.commit("acme/large", {".gitattributes": "*.bin filter=lfs\n", "a.bin": pointer})
    GIT.push("acme/large", "main")
    double.things[NAME]["clone_url"] = f"{THERE.url}/acme/large.git"

    def files(asked):
        if asked.path.endswith("/big.bin"):
            return Answer(iter([MEGABYTE] * 1024), kind="application/octet-stream")
        if asked.path.endswith("/moved.png"):
            return Answer(b"", 302, {"Location": f"{FORBIDDEN.url}/a.png"})
        if asked.path.startswith("/acme/large.git/info/lfs"):
            action = {"download": {"href": f"{FORBIDDEN.url}/{oid}"}}
            return Answer({"transfer": "basic", "objects": [{"oid": oid, "size": 12, "actions": action}]},
                          kind="application/vnd.git-lfs+json")  # fmt: skip
        return None

    THERE.parts.insert(0, files)
    project, told = finished(begin(double, optional_stages={"attachments_import": True}))
    same(project.issues.get(1).description, body)
    reasons = {one["key"]: one["exception_message"] for one in told["failed_relations"]}
    assert "large" in reasons[big] and leads in reasons and oid in reasons, told
    nobody_came()


def packed(*members):
    """An archive of these members, each with its content."""
    into = io.BytesIO()
    with tarfile.open(fileobj=into, mode="w:gz") as archive:
        for member, content in members:
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return into.getvalue()


def member(name, kind=tarfile.REGTYPE, leads=""):
    made = tarfile.TarInfo(name)
    made.type, made.linkname = kind, leads
    return made


def test_archives_that_are_none_are_refused():
    stories.api("PUT", "/application/settings", max_decompressed_archive_size=10)
    about = (b'{"format": "tenon-project", "version": 1, "exported_at": "2031-01-01T00:00:00Z", "host": "h.example",'
             b' "project": {"id": 1, "name": "a", "path": "a", "full_path": "x/a"}}')  # fmt: skip
    first = (member("tenon-project.json"), about)
    whole = packed(first, (member("end.json"), b'{"entries": 1, "lines": {}}'))
    archives = {
        "symlink": packed(first, (member("labels-000001.ndjson", tarfile.SYMTYPE, "/etc/passwd"), b"")),
        "hard link": packed(first, (member("labels-000001.ndjson", tarfile.LNKTYPE, "/etc/passwd"), b"")),
        "device": packed(first, (member("labels-000001.ndjson", tarfile.CHRTYPE), b"")),
        "pipe": packed(first, (member("labels-000001.ndjson", tarfile.FIFOTYPE), b"")),
        "above": packed(first, (member("../../escaped.txt"), b"x")),
        "absolute": packed(first, (member("/tmp/escaped-from-tenon.txt"), b"x")),
        "ratio": packed(first, (member("repository.bundle"), bytes(40 << 20))),
        "cut": whole[: len(whole) // 2],
        "no end": packed(first),
        "no archive": b"hello" * 100,
        "empty": b"",
        "other": packed((member("project.json"), b"{}")),
        "newer": packed((member("tenon-project.json"), about.replace(b'"version": 1', b'"version": 99'))),
    }

    def send(name):
        path = f"archive-{name.replace(' ', '-')}"
        return requests.post(f"{stories.URL}/api/v4/projects/import", headers=HEADERS, timeout=120,
                             data={"path": path}, files={"file": ("a.tar.gz", archives[name])})  # fmt: skip

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        answers = dict(zip(archives, pool.map(send, archives), strict=True))
    for name, answer in answers.items():
        if answer.status_code == 201:
            same((name, ended(answer.json()["id"])["import_status"]), (name, "failed"))
            continue
        assert 400 <= answer.status_code < 500, (name, answer.status_code, answer.text)
    assert not pathlib.Path("/tmp/escaped-from-tenon.txt").exists()
    assert not list(MAIL.parent.rglob("escaped*"))


def test_gists_come_once_at_a_time():
    near()
    public = ProviderA()
    public.url = THERE.url
    slow = threading.Event()
    public.faults["/gists"] = lambda asked: slow.wait(30) and None
    public.lists["/gists"] = []
    THERE.parts.insert(0, public.answer)
    refused(401, ask("/import/provider_a/gists", personal_access_token="other"), "Access denied")
    begin = lambda _: ask("/import/provider_a/gists", personal_access_token=TOKEN)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(begin, range(1000 if FULL else 40)))
    slow.set()
    same(sorted({answer.status_code for answer in answers}), [202, 422])
    same(sum(answer.status_code == 202 for answer in answers), 1)
    assert {text(answer) for answer in answers if answer.status_code == 422} == {"Import already in progress"}


def test_nothing_broke():
    log = (MAIL.parent / "server.log").read_text(errors="replace")
    assert "panicked" not in log, log
    assert TOKEN not in log and provider_b_server.SECRET not in log
    for project in ROOT.projects.list(owned=True, get_all=True):
        status = shown(project.id)["import_status"]
        assert status in (*ENDED, "none"), (project.path, status)
    nobody_came()


stories.run(globals())
