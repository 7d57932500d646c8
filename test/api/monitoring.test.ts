/**
 * The metrics by Prometheus' conventions, and the dashboard and alert rules in `deploy/monitoring`, checked by
 * promtool.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../actions.ts";
import { closeAfterTests } from "../close-after.ts";
import { mugs } from "./rows.ts";
import { runningApi } from "./running-api.ts";

const FOLDER = join(import.meta.dirname, "../../deploy/monitoring");
const api = closeAfterTests(await runningApi());
const shop = await api.openShop(mugs(30));
assert.equal((await shop.sync()).status, 200);

const metricsText = async (): Promise<string> => (await api.ask("/metrics")).text;
const sample = (text: string, name: string): number =>
  Number(
    text
      .split("\n")
      .find((line) => line.startsWith(`${name} `))
      ?.slice(name.length + 1),
  );

/** Every name of a sample, from the types that the text declares. */
const namesIn = (text: string): ReadonlySet<string> =>
  new Set(
    [...text.matchAll(/^# TYPE (\S+) (\w+)$/gm)].flatMap(([, name = "", type]) =>
      type === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  );

test("a render that was held and one that was published over limits are counted as such, and not as failed", async () => {
  shop.sells(mugs(30).map((row) => ({ ...row, price: "0.00 USD" })));
  assert.equal((await shop.sync({}, { guard: "hold" })).status, 200);

  const held = await metricsText();
  assert.equal(sample(held, 'shelfwire_runs{kind="render",state="succeeded"}'), 2);
  assert.doesNotMatch(held, /shelfwire_runs\{kind="render",state="failed"\}/);
  assert.equal(sample(held, 'shelfwire_guard_renders{decision="passed"}'), 1);
  assert.equal(sample(held, 'shelfwire_guard_renders{decision="held"}'), 1);

  const render = await shop.call("/api/v1/feeds", { method: "POST" });
  assert.equal(render.status, 200);
  const published = await metricsText();
  assert.equal(sample(published, 'shelfwire_guard_renders{decision="superseded"}'), 1);
  assert.equal(sample(published, 'shelfwire_guard_renders{decision="published_over_limits"}'), 1);
});

test("fetches are counted by known consumer, and the age of the served files is there", async () => {
  for (const agent of ["Googlebot/2.1", "SomeProgram/1.0"])
    assert.equal((await shop.fetch("gmc.tsv", { headers: { "user-agent": agent } })).status, 200);

  const name = (consumer: string) =>
    `shelfwire_feed_fetches_total{consumer="${consumer}",file="gmc.tsv",status="200"}`;
  // A fetch is counted when its answer has been sent.
  await until(async () => sample(await metricsText(), name("other")) === 1, "the fetch to be counted");
  const text = await metricsText();
  assert.equal(sample(text, name("Google")), 1);
  assert.ok(sample(text, "shelfwire_feed_age_seconds") >= 0);
  assert.doesNotMatch(text, /SomeProgram/);
});

test("metrics of the process and of Node.js have their usual names", async () => {
  const names = namesIn(await metricsText());

  for (const name of [
    "process_cpu_seconds_total",
    "process_resident_memory_bytes",
    "nodejs_eventloop_lag_seconds",
  ])
    assert.ok(names.has(name), name);
  assert.deepEqual(
    [...names].filter((name) => /^shelfwire_(process|nodejs)_/.test(name)),
    [],
  );
});

for (const file of ["alerts.yaml", "alerts-check.yaml", "grafana-dashboard.json"]) {
  test(`every metric in ${file} exists`, async () => {
    const text = await readFile(join(FOLDER, file), "utf8");
    const used = new Set(text.match(/\b(shelfwire|process|nodejs)_\w+/g));
    const names = namesIn(await metricsText());

    assert.ok(used.size > 3);
    assert.deepEqual(
      [...used].filter((name) => !names.has(name)),
      [],
    );
  });
}

test("the dashboard is one that Grafana can import", async () => {
  type Panel = {
    readonly id: number;
    readonly title: string;
    readonly targets: readonly { readonly expr: string }[];
  };
  const dashboard = JSON.parse(await readFile(join(FOLDER, "grafana-dashboard.json"), "utf8")) as {
    readonly uid: string;
    readonly panels: readonly Panel[];
  };

  assert.equal(dashboard.uid, "shelfwire");
  assert.equal(new Set(dashboard.panels.map(({ id }) => id)).size, dashboard.panels.length);
  for (const { title, targets } of dashboard.panels) assert.ok(targets.length > 0, title);
});

const skip =
  spawnSync("promtool", ["--version"]).error === undefined
    ? false
    : "promtool is not installed (Debian: prometheus): metrics and rules were not checked by it";

const promtool = (line: readonly string[], input = ""): string => {
  const { status, stdout, stderr } = spawnSync("promtool", line, { cwd: FOLDER, input, encoding: "utf8" });
  assert.equal(status, 0, `${stdout}${stderr}`);
  return stdout + stderr;
};

test("promtool finds the rules correct, and their tests pass", { skip }, () => {
  assert.match(promtool(["check", "rules", "alerts.yaml"]), /SUCCESS/);
  assert.match(promtool(["test", "rules", "alerts-check.yaml"]), /SUCCESS/);
});

test("promtool finds the metrics named by convention", { skip }, async () => {
  assert.equal(promtool(["check", "metrics"], await metricsText()), "");
});
