"""What schemathesis works on below merge requests: a part of the world of openapi_hooks."""


class Reviews:
    """Merge requests of the project that a path is about, and what belongs to them."""

    def proposal(self):
        """The body of a new one: of a branch with a commit that `main` has not."""
        path, name = self.get("history"), self.new("branch")
        actions = [{"action": "create", "file_path": name, "content": "iron"}]
        if self.path.endswith("/pipelines"):
            jobs = "run: {script: make, only: [merge_requests]}"
            actions += [{"action": "create", "file_path": ".gitlab-ci.yml", "content": jobs}]
        change = {"commit_message": "a file", "start_branch": "main", "actions": actions}
        self.post(f"{path}/commits", branch=name, **change)
        return {"source_branch": name, "target_branch": "main", "title": "a merge request"}

    def request_beside(self):
        return self.post(f"{self.owner()}/merge_requests", **self.proposal())

    def request(self):
        """The merge request of the path, with one event of each kind."""
        # Who made it is the only one who asks here.
        self.post(f"{self.owner()}/approvals", merge_requests_author_approval=True)
        own = f"{self.owner()}/merge_requests/{self.request_beside()['iid']}"
        goal = self.post(f"{self.owner()}/milestones", title=self.new("goal"))["id"]
        self.call("PUT", own, json={"add_labels": "bug", "milestone_id": goal})
        for event in ("close", "reopen"):
            self.call("PUT", own, json={"state_event": event})
        if self.path.endswith("/subscribe"):
            self.post(f"{own}/unsubscribe")
        if self.path.endswith("/unapprove"):
            self.post(f"{own}/approve")
        if self.path.endswith("/cancel_merge_when_pipeline_succeeds"):
            self.call("PUT", own, json={"title": "Draft: wait"})
            self.call("PUT", f"{own}/merge", json={"auto_merge": True})
        return own

    def iid(self):
        return int(self.get("request").rsplit("/", 1)[-1])

    def target_branch(self):
        return "main"

    def version_id(self):
        return self.call("GET", f"{self.get('request')}/versions")[0]["id"]

    def draft_note_id(self):
        return self.post(f"{self.get('request')}/draft_notes", note="a draft")["id"]

    def block_id(self):
        other = self.request_beside()["id"]
        return self.post(f"{self.get('request')}/blocks", blocking_merge_request_id=other)["id"]

    def approval_rule_id(self):
        holder = self.get("request") if "/merge_requests/" in self.path else self.owner()
        rule = {"name": self.new("rule"), "approvals_required": 1, "user_ids": [1]}
        return self.post(f"{holder}/approval_rules", **rule)["id"]

    def suggestion(self):
        """What a note suggests for the line that a merge request of another project adds."""
        own = type(self)("/projects/{id}/merge_requests/{iid}").get("request")
        changed = self.call("GET", f"{own}/diffs")[0]["new_path"]
        note = {"body": "```suggestion:-0+0\nsteel\n```", "position": {"path": changed, "line": 1}}
        return self.post(f"{own}/discussions", **note)["notes"][0]["suggestions"][0]["id"]
