"""What is deployed, checked by the tools of those who run it: schemas, linters, and the programs themselves.

None of them needs a container engine. Those that pip does not install are skipped where they are not on the
machine; CROUPIER_REQUIRE_TOOLS=caddy,promtool makes that a failure of those.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import kubernetes_validate
import pytest
import yaml
from compose_spec import PyOptions
from prometheus_client.parser import text_string_to_metric_families

from serving import Start

TOP = Path(__file__).parent.parent
DEPLOY = TOP / "deploy"
DASHBOARD = json.loads((DEPLOY / "grafana/dashboards/croupier.json").read_text())
OVERLAYS = ("kubernetes", "kubernetes-cluster")
KUBERNETES_VERSIONS = ("1.30", "1.37")
METRIC = re.compile(r"\b(croupier_\w+)")


def tool(name: str) -> str:
    """The path of a program, or else the test ends here."""
    found = shutil.which(name)
    if found is None:
        required = os.environ.get("CROUPIER_REQUIRE_TOOLS", "").split(",")
        assert name not in required, f"{name} is not on this machine"
        pytest.skip(f"{name} is not on this machine")
    return found


def run(*command: str | Path, cwd: Path = TOP, **environment: str) -> str:
    done = subprocess.run(
        command, cwd=cwd, env=os.environ | environment, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_compose_file_is_one() -> None:
    options = PyOptions()
    options.apply_merge = True
    compose = options.from_yaml((TOP / "docker-compose.yml").read_text())
    compose.validate()
    assert {"croupier-1", "croupier-2", "proxy", "valkey"} < set(compose.service_names())


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such package")
def test_the_dockerfile_has_nothing_that_a_linter_minds() -> None:
    assert run(Path(sys.executable).with_name("hadolint"), "--no-color", "deploy/Dockerfile") == ""


def rendered(overlay: str, folder: Path) -> list[dict[str, Any]]:
    """The manifests of an overlay with the example's secrets, as they would be applied."""
    for name in OVERLAYS:
        shutil.copytree(DEPLOY / name, folder / name)
        shutil.copy(DEPLOY / name / "secrets.example.env", folder / name / "secrets.env")
    return [
        one
        for one in yaml.safe_load_all(run(tool("kubectl"), "kustomize", folder / overlay))
        if one is not None
    ]


def test_each_manifest_is_what_kubernetes_takes() -> None:
    for path in ("croupier.yaml", "valkey.yaml", "network.yaml", "../kubernetes-cluster/form.yaml"):
        for manifest in yaml.safe_load_all((DEPLOY / "kubernetes" / path).read_text()):
            for version in KUBERNETES_VERSIONS:
                kubernetes_validate.validate(manifest, version, strict=True)


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_the_overlays_are_what_kubernetes_takes(overlay: str, tmp_path: Path) -> None:
    manifests = rendered(overlay, tmp_path)
    for manifest in manifests:
        for version in KUBERNETES_VERSIONS:
            kubernetes_validate.validate(manifest, version, strict=True)
    kinds = {manifest["kind"] for manifest in manifests}
    assert kinds >= {
        "Deployment",
        "HorizontalPodAutoscaler",
        "PodDisruptionBudget",
        "NetworkPolicy",
        "Secret",
    }


def test_the_overlay_of_a_cluster_runs_one(tmp_path: Path) -> None:
    found = {(one["kind"], one["metadata"]["name"]): one for one in rendered("kubernetes-cluster", tmp_path)}
    store = found["StatefulSet", "croupier-valkey"]["spec"]
    assert store["replicas"] == 6
    (container,) = store["template"]["spec"]["containers"]
    assert container["args"][container["args"].index("--cluster-enabled") + 1] == "yes"
    assert container["readinessProbe"], "the rest is the base's"
    (settings,) = (one["data"] for (kind, _), one in found.items() if kind == "ConfigMap")
    assert settings["CROUPIER_DURABILITY"] == "replicated"
    assert settings["CROUPIER_DRAIN_SECONDS"], "the rest is the base's"
    (job,) = (one for kind, one in found.items() if kind[0] == "Job")
    assert (
        f"$number.{store['serviceName']}" in job["spec"]["template"]["spec"]["containers"][0]["command"][-1]
    )
    policy = found["NetworkPolicy", "croupier-valkey"]["spec"]
    assert {port["port"] for rule in policy["ingress"] for port in rule["ports"]} == {"valkey", "bus"}
    from_whom = [who["podSelector"]["matchLabels"] for rule in policy["ingress"] for who in rule["from"]]
    assert {"app.kubernetes.io/name": "croupier"} in from_whom


def test_the_proxys_file_is_taken_by_the_proxy(tmp_path: Path) -> None:
    run(
        *(tool("caddy"), "validate", "--config", DEPLOY / "caddy/Caddyfile", "--adapter", "caddyfile"),
        HOME=str(tmp_path),
    )


def test_the_alert_rules_hold_and_say_what_they_should() -> None:
    folder = DEPLOY / "prometheus"
    run(tool("promtool"), "check", "config", "--syntax-only", folder / "prometheus.yml")
    run(tool("promtool"), "check", "rules", folder / "alerts.yml")
    run(tool("promtool"), "test", "rules", "alerts_test.yml", cwd=folder)
    alerts = {rule["alert"] for rule in rules()}
    tested = {
        test["alertname"]
        for group in yaml.safe_load((folder / "alerts_test.yml").read_text())["tests"]
        for test in group["alert_rule_test"]
        if test.get("exp_alerts")
    }
    assert tested == alerts


def rules() -> list[dict[str, Any]]:
    (group,) = yaml.safe_load((DEPLOY / "prometheus/alerts.yml").read_text())["groups"]
    return list(group["rules"])


def expressions() -> list[str]:
    panels = DASHBOARD["panels"]
    return [target["expr"] for panel in panels for target in panel.get("targets", ())]


def test_every_metric_that_is_looked_at_exists_and_its_labels_too(start: Start) -> None:
    server = start()
    with httpx.Client(base_url=server.url) as client:
        client.post("/v1/sessions", json={"game": "casino-holdem"})
        given = client.get("/metrics").text
    labels: dict[str, set[str]] = {}
    for family in text_string_to_metric_families(given):
        for sample in family.samples:
            labels.setdefault(sample.name, set()).update(sample.labels)
    looked_at = expressions() + [rule["expr"] for rule in rules()]
    assert len(looked_at) > 30
    for expression in looked_at:
        for name, matchers in re.findall(r"\b(croupier_\w+)(?:\{([^}]*)\})?", expression):
            assert name in labels, expression
            asked = set(re.findall(r"(\w+)\s*(?:=~|!=|!~|=)", matchers))
            assert asked <= labels[name] | {"instance", "job"}, expression
        by = {one.strip() for group in re.findall(r"by \(([^)]*)\)", expression) for one in group.split(",")}
        named = set().union(*(labels[name] for name in METRIC.findall(expression)))
        assert by <= named | {"instance", "job"}, expression
    watched = {name for expression in looked_at for name in METRIC.findall(expression)}
    kinds = {family.name for family in text_string_to_metric_families(given)}
    unseen = {kind for kind in kinds if not any(name.startswith(kind) for name in watched)}
    assert not unseen, "what is measured is shown somewhere"


def test_the_dashboard_asks_what_prometheus_understands(tmp_path: Path) -> None:
    promtool, rules_of_one = tool("promtool"), list[dict[str, str]]()
    for expression in expressions():
        filled_in = expression.replace("$__rate_interval", "1m").replace("$__range", "1h")
        assert "$" not in filled_in
        rules_of_one.append({"record": f"dashboard:{len(rules_of_one)}", "expr": filled_in})
    path = tmp_path / "rules.yml"
    path.write_text(yaml.safe_dump({"groups": [{"name": "dashboard", "rules": rules_of_one}]}))
    run(promtool, "check", "rules", path)


def test_grafana_finds_its_dashboard_and_its_source() -> None:
    provisioning = DEPLOY / "grafana/provisioning"
    (source,) = yaml.safe_load((provisioning / "datasources/prometheus.yml").read_text())["datasources"]
    (provider,) = yaml.safe_load((provisioning / "dashboards/croupier.yml").read_text())["providers"]
    compose = yaml.safe_load((TOP / "docker-compose.yml").read_text())["services"]
    assert httpx.URL(source["url"]).host in compose
    used = {
        target["datasource"]["uid"] for panel in DASHBOARD["panels"] for target in panel.get("targets", ())
    }
    assert used == {source["uid"]}
    mounts = dict(volume.split(":")[:2] for volume in compose["grafana"]["volumes"])
    assert mounts["./deploy/grafana/dashboards"] == provider["options"]["path"]
    assert mounts["./deploy/grafana/provisioning"] == "/etc/grafana/provisioning"
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(ids) == len(set(ids))
    places = [tuple(panel["gridPos"][one] for one in "xy") for panel in DASHBOARD["panels"]]
    assert len(places) == len(set(places))


def test_prometheus_asks_the_servers_with_the_metrics_key() -> None:
    compose = yaml.safe_load((TOP / "docker-compose.yml").read_text())["services"]
    (job,) = yaml.safe_load((DEPLOY / "prometheus/prometheus.yml").read_text())["scrape_configs"]
    (targets,) = job["static_configs"]
    assert {target.partition(":")[0] for target in targets["targets"]} < set(compose)
    key = job["authorization"]["credentials_file"]
    assert f'"$$CROUPIER_METRICS_KEY" >{key}' in compose["prometheus"]["entrypoint"][-1]
    for path in re.findall(r"(/etc/prometheus/\S+)", compose["prometheus"]["entrypoint"][-1]):
        assert (DEPLOY / "prometheus" / Path(path).name).exists()
