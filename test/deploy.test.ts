/** What is shipped for operators: the image, the compose files, the units, the proxies. */
import assert from "node:assert/strict";
import { access, glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { parse, parseDocument } from "yaml";
import { SETTINGS } from "../src/config.ts";
import { ERRORS } from "../src/errors.ts";
import { readStages } from "../tools/dockerfile.ts";

const ROOT = join(import.meta.dirname, "..");
const text = async (path: string): Promise<string> => readFile(join(ROOT, path), "utf8");

const NAMES = new Set<string>([
  ...Object.values(SETTINGS).flatMap(({ env }) => [env, `${env}_FILE`]),
  "NODE_ENV",
]);

test("the image is built in stages from pinned base images, and runs as an unprivileged user", async () => {
  const stages = await readStages();
  const last = stages.at(-1);
  const keywords = last?.steps.map(({ keyword }) => keyword) ?? [];

  assert.equal(stages.length, 3);
  for (const { base } of stages) assert.match(base, /^[a-z]+:\d+-\w+-slim$/);
  assert.equal(last?.steps.find(({ keyword }) => keyword === "USER")?.text, "node");
  // Steps that need root come before.
  assert.equal(keywords.indexOf("USER") > keywords.lastIndexOf("RUN"), true);
  for (const keyword of ["HEALTHCHECK", "EXPOSE", "VOLUME", "ENTRYPOINT", "CMD"]) {
    assert.equal(keywords.filter((found) => found === keyword).length, 1, keyword);
  }
  // In exec form: a shell would keep signals to itself.
  for (const { keyword, text: line } of last?.steps ?? []) {
    if (/^(ENTRYPOINT|CMD)$/.test(keyword)) assert.ok(Array.isArray(JSON.parse(line)), line);
  }
});

test("the image copies only files that exist and that .dockerignore includes", async () => {
  const stages = await readStages();
  const allowed = (await text(".dockerignore"))
    .split("\n")
    .flatMap((line) => /^!(.+)$/.exec(line)?.[1] ?? []);
  const copies = stages.flatMap(({ steps }) => steps.filter(({ keyword }) => keyword === "COPY"));

  for (const { list } of copies) {
    const from = list[0]?.startsWith("--from=") ? list[0].slice("--from=".length) : undefined;
    if (from !== undefined) {
      assert.ok(
        stages.some(({ name }) => name === from),
        from,
      );
      continue;
    }
    for (const source of list.slice(0, -1)) {
      await access(join(ROOT, source));
      assert.ok(allowed.includes(source.split("/")[0] ?? ""), `${source} is not in .dockerignore`);
    }
  }
  assert.ok(copies.length > 8);
});

type Service = {
  readonly image?: string;
  readonly build?: string;
  readonly restart?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly user?: string;
};
type Compose = {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes?: Readonly<Record<string, unknown>>;
};

for (const files of [["compose.yaml"], ["compose.yaml", "deploy/compose.tls.yaml"]]) {
  test(`${files.join(" with ")} names services, volumes, files and settings that exist`, async () => {
    const services: Record<string, Service> = {};
    const volumes = new Set<string>();
    for (const file of files) {
      const source = await text(file);
      const { errors } = parseDocument(source, { customTags: [{ tag: "!reset", collection: "seq" }] });
      assert.deepEqual(errors, []);
      const { services: more, volumes: named = {} } = parse(source, { logLevel: "silent" }) as Compose;
      for (const [name, service] of Object.entries(more)) services[name] = { ...services[name], ...service };
      for (const name of Object.keys(named)) volumes.add(name);
    }

    for (const [name, service] of Object.entries(services)) {
      assert.equal(service.restart, "unless-stopped", name);
      assert.ok(service.build === "." || /^[a-z]+:\d+(-\w+)?$/.test(service.image ?? ""), name);
      for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
        assert.equal(condition, "service_healthy");
        assert.ok(services[other]?.healthcheck ?? services[other]?.build, `${other} has a health check`);
      }
      for (const volume of service.volumes ?? []) {
        const [from = ""] = volume.split(":");
        if (!from.startsWith(".")) assert.ok(volumes.has(from), volume);
        // The certificates are the operator's.
        else if (!from.endsWith("/certs")) await access(join(ROOT, from));
      }
    }
    for (const name of Object.keys(services["shelfwire"]?.environment ?? {}))
      assert.ok(NAMES.has(name), name);
  });
}

test("each unit stops the server alone, with time to spare, and does not retry wrong settings", async () => {
  const units = await Array.fromAsync(glob("deploy/*.service", { cwd: ROOT }));
  assert.equal(units.length, 2);

  for (const unit of units) {
    const source = await text(unit);
    const value = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(source)?.[1] ?? "";
    for (const line of source.split("\n")) assert.match(line, /^(#.*|\[\w+\]|[A-Z]\w+=.*|)$/, unit);
    assert.equal(value("KillMode"), "mixed");
    assert.ok(Number(value("TimeoutStopSec")) > 10);
    assert.equal(Number(value("RestartPreventExitStatus")), ERRORS.config_invalid.exit);
    assert.equal(value("User"), "shelfwire");
    assert.match(value("ExecStart"), /\/shelfwire (serve --no-demo|worker)$/);
    for (const pair of value("Environment").split(" ")) assert.ok(NAMES.has(pair.split("=")[0] ?? ""), pair);
  }
});

test("nginx does not buffer pushes, waits for syncs, and logs no feed URL", async () => {
  const source = await text("deploy/nginx.conf");
  const open = source.match(/\{/g)?.length;

  assert.equal(open, source.match(/\}/g)?.length);
  for (const line of source.split("\n")) assert.match(line, /^\s*(#.*|.*[;{}]|)$/);
  assert.match(source, /proxy_request_buffering off;/);
  assert.match(source, /client_max_body_size\s+0;/);
  assert.match(source, /proxy_read_timeout\s+10m;/);
  assert.doesNotMatch(/log_format[^;]*/.exec(source)?.[0] ?? "$request", /\$request\b|\$request_uri|\$uri/);
});
