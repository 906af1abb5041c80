"""The files of a team's server: what each container may do, and every command of the app's image, run here without an engine."""

import json
import os
import re
import shlex
import socket
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text(encoding="utf-8"))
IMAGE = re.sub(r"\\\n", " ", (ROOT / "deploy" / "Containerfile").read_text(encoding="utf-8"))
STAGES = {part.splitlines()[0].split()[-1]: part for part in re.split(r"^FROM ", IMAGE, flags=re.M)[1:]}
SERVICES = sorted(COMPOSE["services"])


def test_the_images_are_built_from_the_root_of_the_repository_by_their_file() -> None:
    builds = [service["build"] for service in COMPOSE["services"].values() if "build" in service]
    assert {build["target"] for build in builds} == STAGES.keys()
    for build in builds:
        context = ROOT / "deploy" / build["context"]
        assert (context.resolve(), (context / build["dockerfile"]).is_file()) == (ROOT, True)


def words(stage: str, instruction: str) -> list[str]:
    """What stands after an instruction of a stage, each time."""
    return re.findall(rf"^{instruction} (.*)$", STAGES[stage], re.M)


@pytest.mark.parametrize("name", SERVICES)
def test_a_container_is_no_root_writes_nowhere_else_and_has_no_capability(name: str) -> None:
    service = COMPOSE["services"][name]
    user, group = service["user"].split(":")
    assert int(user) > 0 < int(group)
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert "cap_add" not in service
    assert "privileged" not in service
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["healthcheck"]["test"][0] == "CMD"
    assert service["restart"] == "unless-stopped"
    assert all(":/" in volume and not volume.startswith(("/", ".")) for volume in service["volumes"]), "only named volumes"
    # Podman refuses an owner here, and an engine need not make a folder writable for all unless it is asked to.
    for folder in service["tmpfs"]:
        assert re.fullmatch(r"/[\w/]+:mode=1777(,size=\w+)?", folder), folder


def test_the_proxy_alone_is_reached_from_outside_and_the_database_from_the_app_alone() -> None:
    services, networks = COMPOSE["services"], COMPOSE["networks"]
    assert {n: s["ports"] for n, s in services.items() if "ports" in s} == {"proxy": ["80:8080", "443:8443"]}
    assert services["database"]["networks"] == ["back"]
    assert networks["back"] == {"internal": True}
    assert services["proxy"]["networks"] == ["front"]
    assert services["app"]["depends_on"]["database"]["condition"] == "service_healthy"
    assert services["proxy"]["depends_on"]["app"]["condition"] == "service_healthy"


def test_secrets_come_from_files_that_neither_git_nor_an_image_takes() -> None:
    assert all(set(secret) == {"file"} and secret["file"].startswith("secrets/") for secret in COMPOSE["secrets"].values())
    for name, service in COMPOSE["services"].items():
        for key, value in service["environment"].items():
            # A variable holds the path of a file, or nothing that is secret.
            assert not re.search("PASSWORD|SECRET|TOKEN|KEY", key) or value.startswith("/run/secrets/"), f"{name} {key}"
            assert not re.search(r"://[^/@\s]*:[^/@\s]*@", str(value)), f"{name} {key} has a password"
        for secret in service.get("secrets", ()):
            assert secret in COMPOSE["secrets"]
            assert f"/run/secrets/{secret}" in service["environment"].values()
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert {"deploy/secrets/", ".env"} <= set(ignored)
    taken = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert taken[0] == "*"
    assert not any("secrets" in line for line in taken)


def test_what_must_be_named_is_asked_for() -> None:
    text = (ROOT / "deploy" / "compose.yaml").read_text(encoding="utf-8")
    assert set(re.findall(r"\$\{(\w+):\?", text)) == {"GROUNDSCOPE_HOST", "GROUNDSCOPE_LEADS"}
    assert re.findall(r"\$\{\w+\}", text) == []


def test_the_images_take_what_is_there_and_drop_root_last() -> None:
    taken = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    for copied in words("app", "COPY") + words("proxy", "COPY"):
        *sources, _ = shlex.split(copied)
        for source in sources:
            assert (ROOT / source).exists(), source
            allowed = subprocess.run(["git", "check-ignore", "-q", source], cwd=ROOT, check=False)
            assert allowed.returncode == 1, f"{source} is not in the repository"
            assert f"!{source}" in taken or f"!{Path(source).parts[0]}" in taken, f"{source} is not in .dockerignore"
    for stage in ("app", "proxy"):
        assert words(stage, "USER") == ["10001:10001"] == [COMPOSE["services"][stage]["user"]]
        # Nothing is written into the image by another user than root, and nothing is run as root after it.
        assert STAGES[stage].index("USER ") > max(STAGES[stage].rindex("RUN "), STAGES[stage].rindex("COPY "))
    probe = json.loads(words("app", "HEALTHCHECK")[0].partition("CMD ")[2])
    assert ["CMD", *probe] == COMPOSE["services"]["app"]["healthcheck"]["test"]


def test_the_image_has_every_module_and_weight_that_the_app_reads() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    packed = project["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"]
    assert set(packed) <= {source for line in words("app", "COPY") for source in shlex.split(line)[:-1]}


def environment(data: Path, **more: str) -> dict[str, str]:
    """The variables of the image, with its folders moved here."""
    named = dict(pair.split("=", 1) for line in words("app", "ENV") for pair in shlex.split(line))
    own = {k: v for k, v in named.items() if not k.startswith("PIP_")}
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    return {**own, "PATH": path, "GROUNDSCOPE_DATA": str(data), "HF_HOME": str(data / "hub"), "HOME": str(data), **more}


def test_the_start_reads_the_password_from_its_file(tmp_path: Path) -> None:
    (password,) = words("app", "ENTRYPOINT")
    start = json.loads(password)[0]
    assert os.access(ROOT / start, os.X_OK)
    secret, fake = tmp_path / "password", tmp_path / "python"
    secret.write_text("p@ss word/1\n", encoding="utf-8")
    fake.write_text('#!/bin/sh\nprintf "%s|%s" "$PGPASSWORD" "$*"\n', encoding="utf-8")
    fake.chmod(0o755)
    own = {"PATH": f"{tmp_path}:/usr/bin:/bin", "PGPASSWORD_FILE": str(secret)}
    done = subprocess.run([ROOT / start, "people", "a@b.org"], env=own, capture_output=True, text=True, check=True)
    assert done.stdout == "p@ss word/1|-m groundscope people a@b.org"
    # A secret that is not there ends it, and does not start an app without its database.
    gone = subprocess.run(
        [ROOT / start, "people"], env={**own, "PGPASSWORD_FILE": "/nowhere"}, capture_output=True, text=True, check=False
    )
    assert (gone.returncode != 0, gone.stdout) == (True, "")


_CAGE = """
set -e
mount --make-rprivate /
mount --bind "$GROUNDSCOPE_DATA" "$GROUNDSCOPE_DATA"
mount --bind "$TMPDIR" "$TMPDIR"
mount -o remount,ro,bind /
if touch "$0" 2>/dev/null; then exit 99; fi
exec setpriv $BECOME --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all -- "$@"
"""
"""Makes the root read-only but for data and temporary files, for one process, which it leaves without any capability."""


@pytest.fixture
def cage(tmp_path: Path) -> dict[str, str]:
    """The variables of a process that is kept as a container is; another user where that one can reach Python here."""
    if os.geteuid() != 0 or subprocess.run(["unshare", "-m", "true"], check=False, capture_output=True).returncode:
        pytest.skip("A read-only root needs the right to mount.")
    data, temporary = tmp_path / "data", tmp_path / "tmp"
    for folder in (data, temporary):
        folder.mkdir()
        os.chown(folder, 10001, 10001)
    other = ["--reuid=10001", "--regid=10001"]
    reached = subprocess.run(
        ["setpriv", *other, "--clear-groups", "sh", "-c", f'cd "{tmp_path}" && exec "{sys.executable}" -c ""'],
        capture_output=True,
        check=False,
    )
    if reached.returncode:
        # This machine's Python is root's own: then root, without a capability.
        for folder in (data, temporary):
            os.chown(folder, 0, 0)
    become = " ".join(other) if not reached.returncode else ""
    return environment(data, TMPDIR=str(temporary), HOME=str(temporary), BECOME=become)


def caged(own: dict[str, str], *command: str, **more: Any) -> subprocess.Popen[bytes]:
    """Start a command in the cage."""
    started = ["unshare", "-m", "sh", "-c", _CAGE, str(ROOT / "deploy" / "Containerfile"), *command]
    return subprocess.Popen(started, cwd=ROOT, env=own, **more)


@pytest.mark.release
def test_the_app_runs_over_a_read_only_root_without_capabilities_and_its_health_is_seen(
    tmp_path: Path, cage: dict[str, str]
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    (start,) = json.loads(words("app", "ENTRYPOINT")[0])
    command = [port if word == "8501" else word for word in json.loads(words("app", "CMD")[-1])]
    probe = [word.replace("8501", port) for word in COMPOSE["services"]["app"]["healthcheck"]["test"][1:]]
    log = tmp_path / "log.txt"
    with log.open("wb") as out:
        app = caged(cage, str(ROOT / start), *command, stdout=out, stderr=out)
    try:
        healthy = False
        for _ in range(240):
            healthy = subprocess.run(probe, env=cage, capture_output=True, check=False).returncode == 0
            if healthy or app.poll() is not None:
                break
            time.sleep(0.5)
        assert healthy, log.read_text(encoding="utf-8", errors="replace")
        verb = caged(cage, str(ROOT / start), "people", "ana@example.org", "--role", "lead")
        assert verb.wait(timeout=120) == 0
        assert (tmp_path / "data" / "groundscope.sqlite").is_file()
        # The check is one that can fail: nothing listens at another port.
        beside = [word.replace(port, "1") for word in probe]
        assert subprocess.run(beside, env=cage, capture_output=True, check=False).returncode != 0
    finally:
        app.terminate()
        app.wait(timeout=60)
    said = log.read_text(encoding="utf-8", errors="replace")
    assert "Traceback" not in said
    # Streamlit's welcome asks a server outside for this machine's address, and says so whether it got one or not.
    assert "xternal" not in said
