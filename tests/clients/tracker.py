"""What the Python suites of error tracking share: a project that receives errors."""

import itertools

import requests
import stories
from stories import URL, api

numbers = itertools.count(1)


class Tracker:
    """A project that receives errors."""

    def __init__(self):
        self.id = api("POST", "/projects", name=f"furnace-{next(numbers)}")["id"]
        self.settings(active=True, integrated=True)
        key = api("POST", f"/projects/{self.id}/error_tracking/client_keys")
        self.key, self.dsn = key["public_key"], key["tracker_dsn"]

    def settings(self, **values):
        return api("PUT", f"/projects/{self.id}/error_tracking/settings", **values)

    def errors(self):
        """The errors by their names."""
        found = api("GET", f"/projects/{self.id}/error_tracking/errors")
        named = {error["name"]: error for error in found}
        assert len(named) == len(found) or "Log Message" in named, found
        return found

    def stack(self, error):
        query = """query($path: ID!, $id: ServiceErrorTrackingDetailedErrorID!) { project(fullPath: $path) {
            trackerErrors { errorStackTrace(id: $id) { stackTraceEntries {
                function fileName line traceContext { line code } } } } } }"""
        path = api("GET", f"/projects/{self.id}")["path_with_namespace"]
        id = f"gid://service/Service::ErrorTracking::DetailedError/{error['id']}"
        answer = requests.post(
            f"{URL}/api/graphql",
            headers={"PRIVATE-TOKEN": stories.os.environ["TENON_TOKEN"]},
            json={"query": query, "variables": {"path": path, "id": id}},
        ).json()
        assert "errors" not in answer, answer
        return answer["data"]["project"]["trackerErrors"]["errorStackTrace"]["stackTraceEntries"]
