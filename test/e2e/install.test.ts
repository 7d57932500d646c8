/** The ways to install the program, each done for real, started, asked and stopped as an operator would. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFile, cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { dataFolder } from "./embedded-holder.ts";
import { readStages } from "../../tools/dockerfile.ts";
import { buildImage } from "./image.ts";
import type { Built } from "./image.ts";
import { freePort, leftRunning } from "./program.ts";
import { started } from "./started.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../..");
const LIMIT_MB = 250;
/** Hundreds of megabytes are unpacked, on machines that may be busy. */
const PATIENT = { timeout: 400_000 };

type Manifest = {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly bin: Readonly<Record<string, string>>;
};

/** The machine's own Node.js, as a user has it, and not the one that npm puts before it. */
const MACHINE_PATH = (process.env["PATH"] ?? "")
  .split(delimiter)
  .filter((folder) => !folder.includes("node_modules"))
  .join(delimiter);

/** What `npm start` needs of a checkout, beside the packages. */
const PROGRAM = ["src", "bin", "console", "migrations", "reference-data", "sample"];

/**
 * The oldest npm that comes with a supported Node.js. It deals with packages of other platforms differently than npm
 * 11.
 */
async function npm10(folder: string): Promise<readonly string[]> {
  const home = join(folder, "npm10");
  await mkdir(home);
  await run("npm", ["install", "--prefix", home, "--no-audit", "--no-fund", "npm@10.9.9"], { env: NPM_ENV });
  return ["node", join(home, "node_modules/npm/bin/npm-cli.js")];
}

/**
 * What `npm ci` has just installed is in npm's cache; a network is asked only for what is not. A network may have a
 * certificate authority of its own.
 */
const NPM_ENV = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) =>
      /^(HOME|NODE_EXTRA_CA_CERTS|npm_config_(registry|cache|cafile|userconfig))$/i.test(name),
    ),
  ),
  PATH: MACHINE_PATH,
  npm_config_prefer_offline: "true",
} as Record<string, string>;

const sizeInMb = async (folder: string): Promise<number> =>
  Number.parseInt((await run("du", ["-sm", folder])).stdout, 10);

type Serving = {
  readonly cwd: string;
  readonly env?: Record<string, string>;
  readonly health?: readonly string[];
};

describe("an installation", PATIENT, () => {
  const parts = new AsyncDisposableStack();
  let folder: string;
  let manifest: Manifest;
  let image: Built;

  before(async () => {
    folder = parts.use(await dataFolder()).path;
    manifest = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as Manifest;
    image = await buildImage(await readStages(), {
      folder: join(folder, "image"),
      env: { ...NPM_ENV, PATH: `${join(ROOT, "node_modules/.bin")}${delimiter}${MACHINE_PATH}` },
    });
  }, PATIENT);
  after(() => parts.disposeAsync());

  /** Starts it on a data folder of its own, asks it, ends it by a signal to the started process alone. */
  const isServing = async (
    program: string,
    line: readonly string[],
    { cwd, env = {}, health }: Serving,
  ): Promise<number | string> => {
    await using data = await dataFolder();
    const port = String(await freePort());
    const all = { PATH: MACHINE_PATH, ...env, DATA_DIR: data.path, PORT: port, HOST: "127.0.0.1" };
    await using service = started(program, line, { cwd, env: all });
    await service.says(/Stop it with Ctrl-C/);
    assert.equal((await fetch(`http://127.0.0.1:${port}/healthz`)).status, 200);
    assert.equal((await fetch(`http://127.0.0.1:${port}/`)).status, 200);
    const [checker, ...check] = health ?? [];
    if (checker !== undefined) await run(checker, check, { env: all });
    process.kill(service.pid, "SIGTERM");
    const status = await service.ended;
    assert.equal(await service.isLeft(), false);
    assert.deepEqual(await leftRunning(data.path), []);
    return status;
  };

  test("by the steps of the Dockerfile serves, is healthy, and ends at SIGTERM", PATIENT, async () => {
    const [program = "", ...line] = image.entry;
    const PATH = `${join(ROOT, "node_modules/.bin")}${delimiter}${MACHINE_PATH}`;
    const { health } = image;

    const status = await isServing(program, line, { cwd: image.folder, env: { ...image.env, PATH }, health });

    assert.equal(status, 0);
  });

  for (const npm of ["the npm of the machine", "npm 10"]) {
    test(
      `of a checkout without development packages, by ${npm}, has the console and runs no script`,
      PATIENT,
      async () => {
        const checkout = join(folder, npm.replaceAll(" ", "-"));
        const tools = ["package.json", "package-lock.json", ".npmrc", "tools", ...PROGRAM];
        for (const part of tools) {
          const filter = (path: string) => path !== join(ROOT, "console/dist");
          await cp(join(ROOT, part), join(checkout, part), { recursive: true, filter });
        }
        const [program = "", ...line] = npm === "npm 10" ? await npm10(folder) : ["npm"];
        const install = [...line, "ci", "--omit=dev", "--no-audit", "--no-fund", "--foreground-scripts"];

        const { stdout, stderr } = await run(program, install, { cwd: checkout, env: NPM_ENV });
        await isServing(program, [...line, "start", "--", "--no-demo"], { cwd: checkout });
        await run(program, [...line, "run", "after-install"], { cwd: checkout, env: NPM_ENV });

        // npm prints `> name@version script` for each script that it runs.
        assert.doesNotMatch(stdout + stderr, /^> /m);
        const sizeMb = await sizeInMb(join(checkout, "node_modules"));
        assert.ok(sizeMb < LIMIT_MB, `${sizeMb} MB`);
      },
    );
  }

  test(
    "of the published package into an empty folder is small, and runs whatever Node.js the machine has",
    PATIENT,
    async () => {
      const source = join(folder, "source");
      await mkdir(source);
      for (const part of ["package.json", "README.md", "LICENSE", "CHANGELOG.md", ".env.example"]) {
        await copyFile(join(ROOT, part), join(source, part));
      }
      for (const part of [
        "bin",
        "migrations",
        "reference-data",
        "sample",
        "docs",
        "deploy",
        "tools",
        "src",
      ]) {
        await cp(join(ROOT, part), join(source, part), { recursive: true });
      }
      // What `npm run build` makes, made in the image's build stage.
      for (const made of ["dist", "console/dist"])
        await cp(join(folder, "image/build/app", made), join(source, made), { recursive: true });
      const { stdout } = await run("npm", ["pack", "--ignore-scripts", "--json"], {
        cwd: source,
        env: NPM_ENV,
      });
      const [packed] = Object.values(JSON.parse(stdout) as Record<string, Packed>);
      assert.ok(packed);
      const files = packed.files.map(({ path }) => path);
      const target = join(folder, "target");
      await mkdir(target);
      await copyFile(join(source, packed.filename), join(target, packed.filename));
      await writeFile(join(target, "package.json"), JSON.stringify(await targetManifest(packed)));
      await writeFile(
        join(target, "package-lock.json"),
        JSON.stringify(await targetLock(target, packed, manifest)),
      );

      await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: target, env: NPM_ENV });
      await run("node", ["node_modules/shelfwire/tools/after-install.mjs"], { cwd: target, env: NPM_ENV });
      const command = join(target, "node_modules/.bin/shelfwire");
      const { stdout: version } = await run(command, ["--version"], { cwd: target, env: NPM_ENV });

      const installedMb = await sizeInMb(join(target, "node_modules"));

      assert.ok(installedMb < LIMIT_MB, `${installedMb} MB`);
      const feed = join(target, "gmc.tsv");
      await writeFile(feed, "id\tgoogle_product_category\n1\t999999\n2\t2169\n");
      const validate = ["validate", feed, "--json", "--fail-on", "never"];
      const { stdout: report } = await run(command, validate, { cwd: target, env: NPM_ENV });
      const { rules } = JSON.parse(report) as { rules: { rule: string; count: number }[] };

      // The reference data is in the package: one of the two categories is known.
      assert.equal(rules.find(({ rule }) => rule === "gmc.category.unknown")?.count, 1);
      assert.equal(manifest.private, undefined);
      assert.equal(version.trim(), manifest.version);
      assert.deepEqual(
        files.filter((path) => /\.test\.|\.fixture\.|^src\/|golden/.test(path)),
        [],
      );
      // 1 MB of it are the names of Google's taxonomy.
      assert.ok(packed.size < 3_200_000, `${packed.size} bytes`);
      // As the systemd unit starts it, in the folder where docs/deploy.md installs it.
      const unit = await readFile(join(ROOT, "deploy/shelfwire.service"), "utf8");
      const start = /^ExecStart=(.*)$/m.exec(unit)?.[1]?.replace("/opt/shelfwire", target) ?? "";
      const [program = "", ...line] = start.split(" ");
      assert.equal(program, command);
      assert.equal(await isServing(program, line, { cwd: folder, env: { NODE_ENV: "production" } }), 0);
    },
  );
});

type Packed = {
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
};

const targetManifest = async ({ filename }: Packed): Promise<object> => ({
  name: "shop",
  version: "1.0.0",
  dependencies: { shelfwire: `file:${filename}` },
});

/** The lock file that npm writes when it installs the package today, with the versions that are tested here. */
async function targetLock(target: string, packed: Packed, manifest: Manifest): Promise<object> {
  const { filename } = packed;
  const lock = JSON.parse(await readFile(join(ROOT, "package-lock.json"), "utf8")) as {
    packages: Record<string, { dev?: boolean }>;
  };
  const { "": _root, ...packages } = lock.packages;
  const needed = Object.entries(packages).filter(([, entry]) => entry.dev !== true);
  const sha512 = createHash("sha512")
    .update(await readFile(join(target, filename)))
    .digest("base64");
  const { version, dependencies, optionalDependencies, bin } = manifest;
  return {
    lockfileVersion: 3,
    requires: true,
    packages: {
      "": await targetManifest(packed),
      "node_modules/shelfwire": {
        version,
        resolved: `file:${filename}`,
        integrity: `sha512-${sha512}`,
        dependencies,
        optionalDependencies,
        bin,
      },
      ...Object.fromEntries(needed),
    },
  };
}
