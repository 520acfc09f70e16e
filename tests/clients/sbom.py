"""cyclonedx-py, unmodified, lists what Python has; the list goes in and comes out again in
every format, and cyclonedx-python-lib and spdx-tools find it valid and complete."""

import gzip
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import requests
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from spdx_tools.spdx.model import RelationshipType
from spdx_tools.spdx.parser.parse_anything import parse_file
from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document

import stories
from as_root import ROOT, group_with_project
from stories import URL, until

API = f"{URL}/api/v4"
OWN = {"PRIVATE-TOKEN": ROOT.private_token}


def made(version, form):
    """What this Python has, as cyclonedx-py lists it."""
    program = Path(sys.executable).with_name("cyclonedx-py")
    command = [program, "environment", "--sv", version, "--of", form, sys.prefix]
    return subprocess.run(command, check=True, capture_output=True).stdout


def sent(project, bom, kind):
    """Sends a list, and waits until it is read."""
    at = f"{API}/projects/{project.id}/sboms"
    answer = requests.post(at, data=bom, headers={**OWN, "Content-Type": kind})
    assert answer.status_code == 202, answer.text
    token = answer.json()["token"]
    look = lambda: requests.get(f"{at}/{token}", headers=OWN).json()
    told = until(look, lambda it: not it["processing"])
    assert told["finished"] and not told["failed"], told


def exported(place, export_type):
    """The file of an export, once it is there."""
    at = f"{API}/{place}/dependency_list_exports"
    answer = requests.post(at, json={"export_type": export_type}, headers=OWN)
    assert answer.status_code == 201, answer.text
    look = lambda: requests.get(answer.json()["self"], headers=OWN)
    told = until(look, lambda it: it.status_code == 200).json()
    assert told["status"] == "finished", told
    file = requests.get(told["download"], headers=OWN)
    assert file.status_code == 200, file.text
    return file.text


def valid(text, version):
    wrong = JsonStrictValidator(version).validate_str(text)
    assert wrong is None, wrong
    return json.loads(text)


def essence(bom):
    """What must not be lost: by package URL version, digests, licences and relations."""
    by_reference = {one.get("bom-ref"): one["purl"] for one in bom["components"]}
    below = {}
    for one in bom.get("dependencies", []):
        known = [by_reference[to] for to in one.get("dependsOn", []) if to in by_reference]
        below[one["ref"]] = sorted(known)
    return {
        one["purl"]: (
            one.get("version"),
            sorted((it["alg"], it["content"]) for it in one.get("hashes", [])),
            sorted(named(it) for it in one.get("licenses", [])),
            below.get(one.get("bom-ref"), []),
        )
        for one in bom["components"]
    }


def named(choice):
    license = choice.get("license", {})
    return choice.get("expression") or license.get("id") or license["name"]


def test_a_list_comes_out_as_it_went_in():
    _, project = group_with_project("sbom-round")
    place = f"projects/{project.id}"
    for version in ("1.4", "1.5", "1.6"):
        bom = made(version, "JSON")
        sent(project, bom, "application/vnd.cyclonedx+json")
        out = valid(exported(place, "cyclonedx_1_6_json"), SchemaVersion.V1_6)
        assert essence(out) == essence(json.loads(bom)), version


def test_a_list_in_xml_says_the_same():
    _, project = group_with_project("sbom-xml")
    sent(project, made("1.6", "XML"), "application/vnd.cyclonedx+xml")
    out = exported(f"projects/{project.id}", "cyclonedx_1_6_json")
    expected = essence(json.loads(made("1.6", "JSON")))
    assert essence(valid(out, SchemaVersion.V1_6)) == expected


def test_spdx_says_the_same():
    _, project = group_with_project("sbom-spdx")
    bom = made("1.6", "JSON")
    sent(project, bom, "application/json")
    text = exported(f"projects/{project.id}", "spdx_2_3_json")
    with tempfile.NamedTemporaryFile("w", suffix=".spdx.json") as file:
        file.write(text)
        file.flush()
        document = parse_file(file.name)
    wrong = validate_full_spdx_document(document)
    assert not wrong, [one.validation_message for one in wrong]
    purls = {
        package.spdx_id: reference.locator
        for package in document.packages
        for reference in package.external_references
        if reference.reference_type == "purl"
    }
    relations = sorted(
        (purls[one.spdx_element_id], purls[one.related_spdx_element_id])
        for one in document.relationships
        if one.relationship_type == RelationshipType.DEPENDS_ON and one.spdx_element_id in purls
    )
    expected = essence(json.loads(bom))
    assert sorted(purls.values()) == sorted(expected)
    pairs = [(purl, to) for purl, (*_, below) in expected.items() for to in below]
    assert relations == sorted(pairs)


def test_what_is_known_to_be_wrong_is_exported():
    _, project = group_with_project("sbom-vex")
    sent(project, made("1.6", "JSON"), "application/json")
    advisory = {
        "id": "CLIENT-1",
        "modified": "2026-01-01T00:00:00Z",
        "summary": "It is bad",
        "database_specific": {"severity": "HIGH"},
        "affected": [
            {
                "package": {"ecosystem": "PyPI", "name": "cyclonedx-bom"},
                "ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}]}],
            }
        ],
    }
    answer = requests.post(f"{API}/admin/advisories", data=json.dumps(advisory), headers=OWN)
    assert answer.status_code == 202, answer.text
    at = f"{API}/projects/{project.id}/dependencies?per_page=100"
    look = lambda: requests.get(at, headers=OWN).text
    until(look, lambda text: "CLIENT-1" in text)
    out = exported(f"projects/{project.id}", "cyclonedx_1_6_vex_json")
    (found,) = valid(out, SchemaVersion.V1_6)["vulnerabilities"]
    assert (found["id"], found["ratings"][0]["severity"]) == ("CLIENT-1", "high")
    assert found["affects"][0]["ref"].startswith("pkg:pypi/cyclonedx-bom@")
    requests.delete(f"{API}/admin/advisories/CLIENT-1", headers=OWN)


def test_a_pipeline_exports_what_its_jobs_brought():
    _, project = group_with_project("sbom-pipeline")
    content = "list: {script: cyclonedx-py, tags: [sbom]}"
    action = {"action": "create", "file_path": ".gitlab-ci.yml", "content": content}
    commit = {"branch": "main", "commit_message": "Begin", "actions": [action]}
    project.commits.create(commit)
    (pipeline,) = until(lambda: project.pipelines.list(get_all=True), lambda it: len(it) == 1)
    runner = {"runner_type": "project_type", "project_id": project.id, "tag_list": "sbom"}
    token = requests.post(f"{API}/user/runners", json=runner, headers=OWN).json()["token"]
    job = until(
        lambda: requests.post(f"{API}/jobs/request", json={"token": token}),
        lambda it: it.status_code == 201,
    ).json()
    bom = made("1.6", "JSON")
    report = {"artifact_type": "cyclonedx", "artifact_format": "gzip"}
    answer = requests.post(
        f"{API}/jobs/{job['id']}/artifacts",
        params=report,
        headers={"JOB-TOKEN": job["token"]},
        files={"file": ("gl-sbom.cdx.json.gz", gzip.compress(bom))},
    )
    assert answer.status_code == 201, answer.text
    done = {"token": job["token"], "state": "success"}
    assert requests.put(f"{API}/jobs/{job['id']}", json=done).ok
    out = valid(exported(f"pipelines/{pipeline.id}", "sbom"), SchemaVersion.V1_4)
    assert essence(out) == essence(json.loads(bom))
    at = f"{API}/projects/{project.id}/dependencies?per_page=1"
    until(lambda: requests.get(at, headers=OWN).json(), lambda it: len(it) == 1)


if __name__ == "__main__":
    stories.run(globals())
