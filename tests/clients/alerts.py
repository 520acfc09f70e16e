"""Alertmanager with amtool, apprise and curl, unmodified: what they send becomes alerts of a project."""

import itertools
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
from datetime import datetime, timezone

import requests
import stories
from stories import URL, api, until

TOKEN = os.environ["TENON_TOKEN"]
WRONG = "0" * 32
MEBIBYTE = 1 << 20
numbers = itertools.count(1)

# What Alertmanager sends with each group, here an empty one.
GROUP = {
    "version": "4", "groupKey": "{}:{}", "status": "firing", "receiver": "desk", "groupLabels": {},
    "commonLabels": {}, "commonAnnotations": {}, "externalURL": "http://alerts.example", "alerts": [],
}  # fmt: skip


class Desk:
    """A project with an integration that receives alerts."""

    def __init__(self, **integration):
        self.project = api("POST", "/projects", name=f"foundry-{next(numbers)}")
        self.path = f"/projects/{self.project['id']}/alert_management"
        made = self.integration(**integration)
        self.id, self.url, self.key = made["id"], made["url"], made["token"]

    def integration(self, **values):
        return api("POST", f"{self.path}/http_integrations", name="Pager", active=True, **values)

    def change(self, **values):
        return api("PUT", f"{self.path}/http_integrations/{self.id}", **values)

    def deliveries(self):
        return api("GET", f"{self.path}/http_integrations/{self.id}/deliveries?per_page=100")

    def place(self, ending):
        """An address under the project's."""
        return f"{URL}/{self.project['path_with_namespace']}/{ending}"

    def alerts(self):
        """All the alerts by their numbers."""
        found = []
        for page in itertools.count(1):
            more = api("GET", f"{self.path}/alerts?per_page=100&page={page}")
            found += more
            if len(more) < 100:
                return {alert["iid"]: alert for alert in found}

    def alert(self, iid):
        return api("GET", f"{self.path}/alerts/{iid}")

    def until(self, holds):
        return until(self.alerts, holds)


class Alertmanager:
    """Debian's, which sends what amtool tells it to an address, soon and again and again."""

    def __init__(self, address, repeat="1s", **authorization):
        self.home = tempfile.TemporaryDirectory(prefix="tenon-alertmanager-")
        self.folder = pathlib.Path(self.home.name)
        self.written = self.folder / "log"
        webhook = {"url": address, "http_config": authorization}
        route = {
            "receiver": "desk", "group_by": ["alertname"], "group_wait": "300ms",
            "group_interval": "300ms", "repeat_interval": repeat,
        }  # fmt: skip
        settings = {"route": route, "receivers": [{"name": "desk", "webhook_configs": [webhook]}]}
        # All JSON is YAML.
        self.settings = self.folder / "alertmanager.yml"
        self.settings.write_text(json.dumps(settings))

    def __enter__(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            listen = f"127.0.0.1:{free.getsockname()[1]}"
        self.address = f"http://{listen}"
        command = [
            "prometheus-alertmanager", f"--config.file={self.settings}", f"--storage.path={self.folder}",
            f"--web.listen-address={listen}", "--cluster.listen-address=", "--log.level=debug",
        ]  # fmt: skip
        with self.written.open("wb") as log:
            self.process = subprocess.Popen(command, cwd=self.folder, stdout=log, stderr=log)
        try:
            until(self.is_ready, bool)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(60)
        self.home.cleanup()

    def is_ready(self):
        assert self.process.poll() is None, self.log()
        try:
            return requests.get(f"{self.address}/-/ready").ok
        except requests.ConnectionError:
            return False

    def log(self):
        return self.written.read_text()

    def failures(self):
        """How many notifications it has given up."""
        name = 'alertmanager_notifications_failed_total{integration="webhook"} '
        lines = requests.get(f"{self.address}/metrics").text.splitlines()
        (count,) = (line.removeprefix(name) for line in lines if line.startswith(name))
        return float(count)

    def amtool(self, *arguments):
        command = ["amtool", f"--alertmanager.url={self.address}", *arguments]
        environment = {**os.environ, "HOME": str(self.folder)}
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False, timeout=120
        )
        assert done.returncode == 0, (arguments, done.stdout, done.stderr)
        return done.stdout

    def add(self, furnace, *arguments):
        self.amtool(
            "alert", "add", *arguments, "--annotation=summary=Furnace too hot",
            "--generator-url=http://metrics.example/graph?g0.expr=degrees+%3E+1600",
            "alertname=Hot", f"instance={furnace}", "severity=page",
        )  # fmt: skip

    def fire(self, furnace, start=None):
        self.add(furnace, f"--start={start or now()}")

    def resolve(self, furnace):
        self.add(furnace, f"--end={now()}")


def now():
    return datetime.now(timezone.utc).isoformat()


def millisecond(text):
    return datetime.fromisoformat(text).isoformat(timespec="milliseconds")


def check_instances_of_a_rule(desk, manager):
    """Two that fire at once are two alerts, each with a life of its own."""
    start = now()
    manager.fire("left", start)
    manager.fire("right", start)
    desk.until(lambda alerts: len(alerts) == 2)
    found = {desk.alert(iid)["details"]["labels.instance"]: iid for iid in (1, 2)}
    left, right = found["left"], found["right"]
    for alert in desk.alerts().values():
        # It sends the year 1 as the end of what has not ended.
        assert (alert["status"], alert["ended_at"]) == ("triggered", None), alert
        assert (alert["title"], alert["severity"]) == ("Furnace too hot", "high"), alert
        assert alert["monitoring_tool"] == "Prometheus", alert
        assert millisecond(alert["started_at"]) == millisecond(start), alert

    desk.until(lambda alerts: min(alert["event_count"] for alert in alerts.values()) >= 3)
    assert {alert["status"] for alert in desk.alerts().values()} == {"triggered"}

    manager.resolve("left")
    over = desk.until(lambda alerts: alerts[left]["status"] == "resolved")
    assert over[left]["ended_at"] and over[right]["status"] == "triggered", over
    repeated = over[right]["event_count"] + 2
    later = desk.until(lambda alerts: alerts[right]["event_count"] >= repeated)
    assert (later[left], len(later)) == (over[left], 2), later
    assert later[right]["status"] == "triggered", later

    manager.fire("left")
    again = desk.until(lambda alerts: len(alerts) == 3)
    assert again[3]["status"] == "triggered" and again[left] == over[left], again
    assert desk.alert(3)["details"]["labels.instance"] == "left"

    manager.resolve("left")
    manager.resolve("right")
    desk.until(lambda alerts: {alert["status"] for alert in alerts.values()} == {"resolved"})
    assert len(desk.alerts()) == 3
    assert {delivery["status"] for delivery in desk.deliveries()} == {200}
    assert manager.failures() == 0


def test_alertmanager_with_a_bearer():
    desk = Desk(type="prometheus")
    assert desk.url == desk.place("prometheus/alerts/notify.json")
    with Alertmanager(desk.url, authorization={"credentials": desk.key}) as manager:
        check_instances_of_a_rule(desk, manager)


def test_alertmanager_with_basic_auth():
    # Its payload is known by its form, whatever the type of the integration.
    desk = Desk()
    with Alertmanager(desk.url, basic_auth={"username": "any", "password": desk.key}) as manager:
        check_instances_of_a_rule(desk, manager)


def test_alertmanager_is_told_that_its_key_is_wrong():
    desk = Desk(type="prometheus")
    with Alertmanager(desk.url, authorization={"credentials": WRONG}) as manager:
        manager.fire("left")
        log = until(manager.log, lambda log: "unexpected status code 401" in log)
    assert "Unauthorized" in log, log
    assert desk.alerts() == {}


def test_alertmanager_comes_again_when_the_server_takes_nothing():
    desk = Desk(type="prometheus")
    with Alertmanager(desk.url, repeat="1h", authorization={"credentials": desk.key}) as manager:
        api("PUT", "/application/settings", maintenance_mode=True)
        try:
            manager.fire("left")
            until(manager.log, lambda log: "unexpected status code 503" in log)
        finally:
            api("PUT", "/application/settings", maintenance_mode=False)
        kept = desk.until(lambda alerts: len(alerts) == 1)
        assert kept[1]["event_count"] == 1, kept


def test_a_large_group_of_alertmanager_is_kept_whole():
    desk = Desk(type="prometheus")
    with Alertmanager(desk.url, repeat="1h", authorization={"credentials": desk.key}) as manager:
        furnaces = [{"labels": {"alertname": "Hot", "instance": f"furnace-{n}"}} for n in range(150)]

        def send(**times):
            body = [{**furnace, **times} for furnace in furnaces]
            answer = requests.post(f"{manager.address}/api/v2/alerts", json=body)
            assert answer.ok, answer.text

        send()
        alerts = desk.until(lambda alerts: len(alerts) == 150)
        assert {alert["title"] for alert in alerts.values()} == {"Hot"}
        send(endsAt=now())
        desk.until(lambda alerts: {alert["status"] for alert in alerts.values()} == {"resolved"})
        assert len(desk.alerts()) == 150


def apprise(desk, title, body, more="", key=None, fails=False):
    program = pathlib.Path(sys.executable).with_name("apprise")
    # Without a name it would leave out the password.
    address = with_credentials(desk.url.replace("http", "json", 1), "anybody", key or desk.key)
    with tempfile.TemporaryDirectory(prefix="tenon-apprise-") as home:
        done = subprocess.run(
            [program, "--verbose", "--title", title, "--body", body, address + more],
            env={**os.environ, "HOME": home}, capture_output=True, text=True, check=False, timeout=120,
        )  # fmt: skip
    assert (done.returncode != 0) == fails, (done.stdout, done.stderr)


def test_apprise_makes_an_alert():
    mapping = [{"field_name": "DESCRIPTION", "path": ["message"]}]
    desk = Desk(payload_attribute_mappings=mapping)
    apprise(desk, "Furnace too hot", "1,600 degrees")
    (alert,) = desk.alerts().values()
    assert (alert["title"], alert["description"]) == ("Furnace too hot", "1,600 degrees"), alert
    assert (alert["status"], alert["severity"]) == ("triggered", "critical"), alert
    assert desk.alert(1)["details"]["type"] == "info"
    apprise(desk, "Furnace too hot", "1,600 degrees")
    apprise(desk, "Furnace too hot", "1,700 degrees")
    assert [alert["event_count"] for _, alert in sorted(desk.alerts().items())] == [2, 1]


def test_apprise_fills_the_fields_of_an_alert():
    desk = Desk()
    fields = "?:severity=low&:fingerprint=left&:message=description"
    apprise(desk, "Furnace too hot", "1,600 degrees", fields)
    (alert,) = desk.alerts().values()
    assert (alert["severity"], alert["description"]) == ("low", "1,600 degrees"), alert
    apprise(desk, "Furnace is well", "1,200 degrees", f"{fields}&:end_time=2042-01-01T00:00:00Z")
    (alert,) = desk.alerts().values()
    assert (alert["status"], alert["title"]) == ("resolved", "Furnace too hot"), alert
    assert alert["ended_at"] == "2042-01-01T00:00:00.000Z", alert


def test_apprise_fails_with_a_wrong_key():
    desk = Desk()
    apprise(desk, "Furnace too hot", "1,600 degrees", key=WRONG, fails=True)
    assert desk.alerts() == {}


def curl(address, *arguments, body=b"{}"):
    """The status and the JSON that curl is answered, and after how many seconds to come again."""
    body = body if isinstance(body, bytes) else json.dumps(body).encode()
    done = subprocess.run(
        [
            "curl", "--silent", "--show-error", "--write-out", "\n%{http_code} %header{retry-after}",
            "--data-binary", "@-", *arguments, address,
        ],
        input=body, capture_output=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    text, _, rest = done.stdout.decode().rpartition("\n")
    status, _, seconds = rest.partition(" ")
    return int(status), json.loads(text), seconds


def bearer(key):
    return ("--header", f"Authorization: Bearer {key}")


def with_credentials(address, user, key):
    return address.replace("://", f"://{user}:{key}@")


def check_refused(status, address, *arguments, body=b"{}"):
    texts = {
        400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 429: "Too Many Requests",
    }  # fmt: skip
    answered, shown, _ = curl(address, *arguments, body=body)
    assert (answered, shown) == (status, {"message": texts[status]}), (answered, shown, body[:80])


def test_curl_sends_the_key_in_every_form():
    desk = Desk()
    forms = [
        (desk.url, bearer(desk.key)),
        (desk.url, ("--oauth2-bearer", desk.key)),
        (desk.url, ("--user", f":{desk.key}")),
        (desk.url, ("--user", f"anybody:{desk.key}")),
        (with_credentials(desk.url, "", desk.key), ()),
        (with_credentials(desk.url, "anybody", desk.key), ()),
        (f"{desk.url}/", bearer(desk.key)),
        (desk.url.removesuffix(".json"), bearer(desk.key)),
        (desk.url.replace("/pager/", "/anything/"), bearer(desk.key)),
        (desk.url, (*bearer(desk.key), "--header", "Content-Type: text/plain")),
        (desk.url, (*bearer(desk.key), "--header", "Transfer-Encoding: chunked")),
    ]
    for number, (address, arguments) in enumerate(forms, 1):
        title = f"Furnace {number}"
        sent = curl(address, *arguments, body={"title": title})
        assert sent == (200, [{"iid": number, "title": title}], ""), (address, arguments, sent)
    # The bearer counts where there are both.
    basic = ("--header", "Authorization: Basic OndyaWdodA==")
    assert curl(desk.url, *basic, *bearer(desk.key))[0] == 200


def test_curl_sends_to_the_plain_addresses():
    desk = Desk(plain_address=True)
    assert desk.url == desk.place("alerts/notify.json")
    metrics = desk.integration(type="prometheus")
    for address, key in [
        (desk.place("alerts/notify.json"), desk.key),
        (desk.place("alerts/notify/"), desk.key),
        (desk.place("prometheus/alerts/notify.json"), metrics["token"]),
    ]:
        assert curl(address, *bearer(key))[0] == 200, address
        assert requests.get(address, headers={"Authorization": f"Bearer {key}"}).status_code == 405
    check_refused(401, desk.place("alerts/notify.json"), *bearer(metrics["token"]))


def test_curl_is_refused_without_the_key():
    desk, other = Desk(), Desk()
    unknown = desk.place(f"alerts/notify/pager/{'0' * 16}.json")
    for status, address, arguments, body in [
        (401, desk.url, (), {}),
        (401, desk.url, bearer(WRONG), {}),
        (401, desk.url, bearer(other.key), {}),
        (401, desk.url, bearer(TOKEN), {}),
        (401, desk.url, ("--header", f"PRIVATE-TOKEN: {TOKEN}"), {}),
        (401, desk.url, ("--user", f"{desk.key}:"), {}),
        (401, with_credentials(desk.url, "", WRONG), (), {}),
        (401, desk.url, (), GROUP),
        (403, unknown, bearer(desk.key), {}),
        (401, unknown, bearer(desk.key), GROUP),
        (404, f"{URL}/nobody/nothing/alerts/notify.json", bearer(desk.key), {}),
    ]:
        check_refused(status, address, *arguments, body=json.dumps(body).encode())
    # The key opens nothing else.
    own = {"Authorization": f"Bearer {desk.key}"}
    assert requests.get(f"{URL}/api/v4{desk.path}/alerts", headers=own).status_code == 401
    assert desk.alerts() == {}

    desk.change(active=False)
    check_refused(403, desk.url, *bearer(desk.key))
    check_refused(401, desk.url, *bearer(desk.key), body=json.dumps(GROUP).encode())
    desk.change(active=True)
    assert curl(desk.url, *bearer(desk.key))[0] == 200
    fresh = api("POST", f"{desk.path}/http_integrations/{desk.id}/reset_token")["token"]
    check_refused(401, desk.url, *bearer(desk.key))
    assert curl(desk.url, *bearer(fresh))[0] == 200


def sized(size):
    empty = len(json.dumps({"description": ""}))
    return json.dumps({"description": "x" * (size - empty)}).encode()


def nested(depth):
    return b'{"a":' + b"[" * (depth - 1) + b"]" * (depth - 1) + b"}"


def test_curl_is_refused_what_is_no_alert():
    desk = Desk()
    unknown = desk.place(f"alerts/notify/pager/{'0' * 16}.json")
    bodies = [
        b"", b" ", b"[]", b"null", b"7", b'"title"', b"title=Hot", b'{"a": NaN}', b'{"title": "\xff"}',
        b'{"title": "Hot"', nested(101), nested(100_000), sized(MEBIBYTE + 1), sized(8 * MEBIBYTE),
    ]  # fmt: skip
    for body in bodies:
        check_refused(400, desk.url, *bearer(desk.key), body=body)
        # Said before anything about the key.
        check_refused(400, desk.url, body=body)
        check_refused(400, unknown, body=body)
        check_refused(404, f"{URL}/nobody/nothing/alerts/notify.json", body=body)
    chunked = ("--header", "Transfer-Encoding: chunked")
    check_refused(400, desk.url, *bearer(desk.key), *chunked, body=sized(MEBIBYTE + 1))
    # An end of what has not begun.
    over = json.dumps({"fingerprint": "left", "end_time": now()}).encode()
    check_refused(400, desk.url, *bearer(desk.key), body=over)
    assert desk.alerts() == {}

    for number, body in enumerate([sized(MEBIBYTE), nested(100)], 1):
        sent = curl(desk.url, *bearer(desk.key), body=body)
        assert sent[:2] == (200, [{"iid": number, "title": "New: Alert"}]), sent


def test_curl_sends_what_alertmanager_would():
    desk = Desk()
    hot = {"status": "firing", "startsAt": now(), "labels": {"alertname": "Hot"}, "fingerprint": "1"}
    cold = {**hot, "labels": {"alertname": "Cold"}, "fingerprint": "2"}

    def send(*alerts):
        return curl(desk.url, *bearer(desk.key), body={**GROUP, "alerts": alerts})

    assert send() == (200, [], "")
    # What is of no use is passed over.
    untitled, unbegun = {**hot, "labels": {}}, {**hot, "startsAt": None}
    unknown = {**hot, "status": "resolved", "fingerprint": "3"}
    both = [{"iid": 1, "title": "Hot"}, {"iid": 2, "title": "Cold"}]
    assert send(untitled, hot, unbegun, unknown, cold) == (200, both, "")
    assert send({**hot, "endsAt": "0001-01-01T00:00:00Z"}) == (200, both[:1], "")
    assert send({**cold, "status": "resolved"}, hot) == (200, both[::-1], "")
    alerts = desk.alerts()
    assert (alerts[1]["status"], alerts[1]["event_count"]) == ("triggered", 3), alerts
    assert (alerts[2]["status"], alerts[2]["event_count"]) == ("resolved", 1), alerts
    # What only looks like it is one alert.
    half = {**GROUP, "version": 4, "title": "Half"}
    sent = curl(desk.url, *bearer(desk.key), body=half)
    assert sent == (200, [{"iid": 3, "title": "Half"}], ""), sent


def test_curl_is_told_to_come_later():
    desk, other = Desk(), Desk()
    limit = {"project_alerts_requests_per_period": 1, "project_alerts_period_seconds": 3_600}
    api("PUT", "/application/settings", project_alerts_rate_limit_enabled=True, **limit)
    try:
        assert curl(desk.url, *bearer(desk.key))[0] == 200
        status, _, seconds = curl(desk.url, *bearer(desk.key))
        assert status == 429 and 1 <= int(seconds) <= 3_600, (status, seconds)
        # Said before anything about the body and the key.
        check_refused(429, desk.url, body=b"[]")
        assert curl(other.url, *bearer(other.key))[0] == 200
    finally:
        api("PUT", "/application/settings", project_alerts_rate_limit_enabled=False)
    assert curl(desk.url, *bearer(desk.key))[0] == 200


stories.run(globals())
