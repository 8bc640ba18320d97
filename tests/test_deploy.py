"""What is deployed fits the server: settings, ports, probes, time to stop, and the store's promises.

There is no container engine here: files are read as data, and the image's commands run as plain processes.
"""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from croupier import __version__
from croupier.settings import Settings, default, read, variable
from croupier.settings.kinds import PREFIX
from serving import PATIENCE, Start

TOP = Path(__file__).parent.parent
KUBERNETES = TOP / "deploy/kubernetes"
ON_A_CLUSTER = TOP / "deploy/kubernetes-cluster"
DOCKERFILE = (TOP / "deploy/Dockerfile").read_text().replace("\\\n", "")
COMPOSE = yaml.safe_load((TOP / "docker-compose.yml").read_text())["services"]
SERVERS = [service for name, service in COMPOSE.items() if name.startswith("croupier-")]
SERVER = SERVERS[0]
CADDYFILE = (TOP / "deploy/caddy/Caddyfile").read_text()
MANIFESTS = {
    (manifest["kind"], manifest["metadata"]["name"]): manifest
    for path in ("croupier.yaml", "valkey.yaml", "network.yaml")
    for manifest in yaml.safe_load_all((KUBERNETES / path).read_text())
}
KUSTOMIZATION = yaml.safe_load((KUBERNETES / "kustomization.yaml").read_text())
POD = MANIFESTS["Deployment", "croupier"]["spec"]["template"]["spec"]
STORE_POD = MANIFESTS["StatefulSet", "croupier-valkey"]["spec"]["template"]["spec"]
(CONTAINER,) = POD["containers"]
(STORE,) = STORE_POD["containers"]
DEPLOYED = ("docker-compose.yml", "deploy/Dockerfile", "deploy/README.md", "deploy/example.env")
FILLED_IN = {
    "CROUPIER_OPERATOR_KEYS": "casino:" + "k" * 20,
    "CROUPIER_SECRET_KEYS": "s" * 32,
    "CROUPIER_METRICS_KEY": "m" * 20,
    "VALKEY_PASSWORD": "p" * 20,
}


def instructions(name: str) -> list[str]:
    return re.findall(rf"^{name} +(.*)$", DOCKERFILE, re.MULTILINE)


def environment_file(path: Path) -> dict[str, str]:
    lines = (line for line in path.read_text().splitlines() if line and not line.startswith("#"))
    return dict(line.split("=", 1) for line in lines)


def interpolated(text: str) -> str:
    return re.sub(r"\$\{(\w+):\?[^}]*\}", lambda found: FILLED_IN[found[1]], text)


def of_image() -> dict[str, str]:
    return dict(re.findall(r"(\w+)=(\S+)", instructions("ENV")[-1]))


def of_compose() -> dict[str, str]:
    return {name: interpolated(value) for name, value in SERVER["environment"].items()}


def of_kubernetes() -> dict[str, str]:
    (generated,) = KUSTOMIZATION["configMapGenerator"]
    assert [source["configMapRef"]["name"] for source in CONTAINER["envFrom"]] == [generated["name"]]
    (secrets,) = KUSTOMIZATION["secretGenerator"]
    kept = environment_file(KUBERNETES / "secrets.example.env")
    found = dict(literal.split("=", 1) for literal in generated["literals"])
    for one in CONTAINER["env"]:
        reference = one["valueFrom"]["secretKeyRef"]
        assert reference["name"] == secrets["name"]
        found[one["name"]] = kept[reference["key"]]
    return found


def settings_of(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Settings:
    for name in Settings.model_fields:
        monkeypatch.delenv(variable(name), raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return read()


def test_every_setting_named_is_one() -> None:
    texts = [TOP / path for path in DEPLOYED]
    texts += [path for folder in (KUBERNETES, ON_A_CLUSTER) for path in folder.iterdir() if path.is_file()]
    named = {name for path in texts for name in re.findall(rf"\b{PREFIX}[A-Z_]+", path.read_text())}
    assert variable("redis_url") in named
    assert named <= {variable(name) for name in Settings.model_fields}


@pytest.mark.parametrize("place", [of_compose, of_kubernetes])
def test_the_server_takes_its_settings(place: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = settings_of({**of_image(), **place()}, monkeypatch)
    assert not settings.loopback
    assert not settings.open_mode
    assert not settings.sandbox
    assert settings.log == "json"
    assert settings.access_log
    assert settings.metrics_key is not None


def test_the_example_asks_for_what_compose_needs() -> None:
    asked = environment_file(TOP / "deploy/example.env")
    assert set(asked) == set(re.findall(r"\$\{(\w+)", (TOP / "docker-compose.yml").read_text()))
    assert not any(asked.values())


def test_the_ports_agree() -> None:
    port = default("port")
    assert of_image()["CROUPIER_PORT"] == port
    assert instructions("EXPOSE") == [port]
    assert f"croupier-1:{port} croupier-2:{port}" in CADDYFILE
    for service in COMPOSE.values():
        assert all(published.startswith("127.0.0.1:") for published in service.get("ports", ()))
    ports = {"croupier": CONTAINER["ports"], "croupier-valkey": STORE["ports"]}
    assert [str(one["containerPort"]) for one in ports["croupier"]] == [port]
    for name, open_ports in ports.items():
        names = {one["name"] for one in open_ports}
        assert {one["targetPort"] for one in MANIFESTS["Service", name]["spec"]["ports"]} == names
        (rule,) = MANIFESTS["NetworkPolicy", name]["spec"]["ingress"]
        assert {one["port"] for one in rule["ports"]} == names
    probed = [
        CONTAINER[probe]["httpGet"]["port"] for probe in ("startupProbe", "livenessProbe", "readinessProbe")
    ]
    assert set(probed) == {CONTAINER["ports"][0]["name"]}


@pytest.mark.parametrize(("place", "host"), [(of_compose, "valkey"), (of_kubernetes, "croupier-valkey")])
def test_the_server_finds_its_store(place: Any, host: str) -> None:
    assert host in COMPOSE or ("Service", host) in MANIFESTS
    address = place()["CROUPIER_REDIS_URL"]
    kept = environment_file(KUBERNETES / "secrets.example.env")
    password = FILLED_IN["VALKEY_PASSWORD"] if place is of_compose else kept["VALKEY_PASSWORD"]
    assert address == f"redis://:{password}@{host}:{STORE['ports'][0]['containerPort']}/0"


def test_the_image_is_made_of_what_there_is() -> None:
    sources = [
        source for line in instructions("COPY") if "--from" not in line for source in line.split()[:-1]
    ]
    assert {"pyproject.toml", "service", "requirements/serve.txt"} <= set(sources)
    everything, *let_in = [
        line for line in (TOP / ".dockerignore").read_text().splitlines() if line and not line.startswith("#")
    ]
    assert everything == "*"
    for source in sources:
        assert (TOP / source).exists()
        assert f"!{source}" in let_in
    assert SERVER["build"] == {"context": ".", "dockerfile": "deploy/Dockerfile"}


def test_the_image_is_the_release() -> None:
    assert SERVER["image"] == f"croupier:{__version__}"
    (image,) = KUSTOMIZATION["images"]
    assert (image["name"], str(image["newTag"])) == (CONTAINER["image"], __version__)


def test_nobody_is_root() -> None:
    (user,) = instructions("USER")
    context = POD["securityContext"]
    assert user == f"{context['runAsUser']}:{context['runAsGroup']}"
    for pod in (POD, STORE_POD):
        assert pod["securityContext"]["runAsNonRoot"]
        assert pod["securityContext"]["runAsUser"] > 0
        assert not pod["automountServiceAccountToken"]
        (container,) = pod["containers"]
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
    for service in COMPOSE.values():
        assert service["read_only"]
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]


def test_no_service_of_the_cluster_names_a_setting() -> None:
    """A Service called croupier gives its neighbours the variable CROUPIER_PORT."""
    assert POD["enableServiceLinks"] is False


def test_the_probes_ask_what_the_server_answers() -> None:
    paths = json.loads((TOP / "openapi/openapi.json").read_text())["paths"]
    probes = {
        name: CONTAINER[f"{name}Probe"]["httpGet"]["path"] for name in ("startup", "liveness", "readiness")
    }
    assert probes == {"startup": "/health/live", "liveness": "/health/live", "readiness": "/health/ready"}
    assert all("get" in paths[path] for path in probes.values())
    assert CONTAINER["readinessProbe"]["timeoutSeconds"] > float(default("store_timeout"))


def test_there_is_time_to_stop() -> None:
    own = 5  # seconds that the processes themselves take, at the very most

    def needed(environment: dict[str, str]) -> float:
        drain = float(environment["CROUPIER_DRAIN_SECONDS"])
        return drain + float(environment.get("CROUPIER_SHUTDOWN_SECONDS", default("shutdown_seconds"))) + own

    assert SERVER["stop_grace_period"].endswith("s")
    assert int(SERVER["stop_grace_period"][:-1]) >= needed(of_compose())
    assert POD["terminationGracePeriodSeconds"] >= needed(of_kubernetes())


def test_the_proxy_and_the_cluster_see_a_server_that_drains_in_time() -> None:
    """They ask whether it is ready more often than it drains for, so nothing is sent to one that has gone."""
    interval, timeout = (
        int(re.findall(rf"health_{name} +(\d+)s$", CADDYFILE, re.MULTILINE)[0])
        for name in ("interval", "timeout")
    )
    assert interval + timeout <= float(of_compose()["CROUPIER_DRAIN_SECONDS"])
    assert timeout > float(default("store_timeout"))
    assert "health_uri /health/ready" in CADDYFILE
    probe = CONTAINER["readinessProbe"]
    assert probe["periodSeconds"] + probe["timeoutSeconds"] <= float(
        of_kubernetes()["CROUPIER_DRAIN_SECONDS"]
    )
    (network,) = yaml.safe_load((TOP / "docker-compose.yml").read_text())["networks"]["front"]["ipam"][
        "config"
    ]
    assert of_compose()["CROUPIER_TRUSTED_PROXIES"] == network["subnet"]
    assert COMPOSE["proxy"]["networks"] == ["front"]


@pytest.mark.parametrize(
    "command",
    [
        COMPOSE["valkey"]["command"],
        STORE["args"],
        yaml.safe_load((ON_A_CLUSTER / "valkey.yaml").read_text())["spec"]["template"]["spec"]["containers"][
            0
        ]["args"],
    ],
    ids=["compose", "kubernetes", "cluster"],
)
def test_the_store_keeps_what_it_answers(command: list[str]) -> None:
    program, *flags = command
    assert program == "valkey-server"
    options = dict(zip(flags[::2], flags[1::2], strict=True))
    assert options["--appendonly"] == "yes"
    assert options["--appendfsync"] == "always"
    assert options["--maxmemory-policy"] == "noeviction"
    assert "VALKEY_PASSWORD" in options["--requirepass"]
    assert COMPOSE["valkey"]["volumes"] == ["sessions:/data"]
    assert [mount["mountPath"] for mount in STORE["volumeMounts"]] == ["/data"]


def test_there_is_one_store_and_more_than_one_server() -> None:
    assert MANIFESTS["StatefulSet", "croupier-valkey"]["spec"]["replicas"] == 1
    scaled = MANIFESTS["HorizontalPodAutoscaler", "croupier"]["spec"]
    assert scaled["scaleTargetRef"] == {"apiVersion": "apps/v1", "kind": "Deployment", "name": "croupier"}
    assert "replicas" not in MANIFESTS["Deployment", "croupier"]["spec"], "the autoscaler's to say"
    budget = MANIFESTS["PodDisruptionBudget", "croupier"]["spec"]["minAvailable"]
    assert scaled["maxReplicas"] > scaled["minReplicas"] > budget > 0
    assert len(SERVERS) == 2
    assert SERVERS[0] == SERVERS[1]
    assert SERVER["depends_on"] == {"valkey": {"condition": "service_healthy"}}


@pytest.mark.parametrize(
    "kind", ["Deployment", "StatefulSet", "Service", "PodDisruptionBudget", "NetworkPolicy"]
)
def test_the_selectors_find_the_pods(kind: str) -> None:
    for (its_kind, name), manifest in MANIFESTS.items():
        if its_kind == kind:
            selector = manifest["spec"].get("selector") or manifest["spec"]["podSelector"]
            labels = {"app.kubernetes.io/name": name}
            assert selector.get("matchLabels", selector) == labels
            if "template" in manifest["spec"]:
                assert manifest["spec"]["template"]["metadata"]["labels"] == labels


def test_the_image_runs_as_a_plain_process(start: Start, valkey_url: str) -> None:
    """The image's command with the environment of compose; the store and the address are the test's own."""
    command = [word for name in ("ENTRYPOINT", "CMD") for word in json.loads(instructions(name)[-1])]
    assert command == ["croupier", "serve"]
    elsewhere = {
        "CROUPIER_REDIS_URL": valkey_url,
        "CROUPIER_HOST": "127.0.0.1",
        "CROUPIER_DRAIN_SECONDS": "0",
    }
    server = start(**{**of_image(), **of_compose(), **elsewhere})
    port = httpx.URL(server.url).port

    (check,) = re.findall(r"HEALTHCHECK.*CMD (\[.*\])", DOCKERFILE)
    program, *arguments = json.loads(check)
    assert program == "python"

    def healthy() -> bool:
        asked = [sys.executable, *arguments]
        environment = {"CROUPIER_PORT": str(port)}
        return not subprocess.run(asked, env=environment, capture_output=True, timeout=PATIENCE).returncode

    assert healthy()
    key = FILLED_IN["CROUPIER_OPERATOR_KEYS"].partition(":")[2]
    with httpx.Client(base_url=server.url) as client:
        assert client.get("/health/ready").status_code == 200
        assert client.get("/v1/sessions").status_code == 401
        assert client.get("/v1/sessions", headers={"Authorization": f"Bearer {key}"}).status_code == 200
        assert client.get("/metrics").status_code == 401
    assert not server.banner, "the image's lines are JSON, all of them"
    assert server.terminate() == 0
    assert not healthy()
