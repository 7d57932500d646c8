/**
 * Makes what is published with a release: `npm run release:check [-- --out <folder>]`. The result is the package, its
 * bill of materials (CycloneDX), the list of the image's files, and checksums, in `release/`.
 *
 * All of it is made twice, from copies of the checkout in two folders, and compared byte by byte. A file that names a
 * folder of this machine or the registry that packages came from is refused.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { cp, glob, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { dirname, join, matchesGlob, relative } from "node:path";
import { parseArgs, promisify } from "node:util";
import { readStages } from "./dockerfile.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "..");
const LARGE = { maxBuffer: 64 * 1024 * 1024 };

type Locked = {
  readonly version: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly link?: boolean;
  readonly os?: string | readonly string[];
};
type Lock = { readonly packages: Readonly<Record<string, Locked>> };
type Manifest = { readonly name: string; readonly dependencies: Readonly<Record<string, string>> };

const readJson = async <T>(path: string): Promise<T> => JSON.parse(await readFile(path, "utf8")) as T;
const sha256 = (bytes: Buffer | string): string => createHash("sha256").update(bytes).digest("hex");

/** The files that a commit would have, in a folder of their own, with the packages of this checkout. */
async function copyCheckout(target: string): Promise<void> {
  const listing = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
  const { stdout } = await run("git", listing, { cwd: ROOT, ...LARGE });
  for (const path of stdout.split("\0").filter((name) => name !== "")) {
    await mkdir(dirname(join(target, path)), { recursive: true });
    // A file that was deleted and is not committed yet is listed, too.
    await cp(join(ROOT, path), join(target, path)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
    });
  }
  await symlink(join(ROOT, "node_modules"), join(target, "node_modules"));
}

/** Builds a release from a copy of the checkout. Returns its files by name. */
async function makeRelease(folder: string): Promise<ReadonlyMap<string, Buffer>> {
  const checkout = join(folder, "checkout");
  const out = join(folder, "out");
  await mkdir(out, { recursive: true });
  await run("npm", ["run", "-s", "build"], { cwd: checkout, ...LARGE });
  await run("npm", ["pack", "--silent", "--pack-destination", out], { cwd: checkout, ...LARGE });
  await writeFile(join(out, "sbom.cdx.json"), await billOfMaterials(checkout));
  await writeFile(join(out, "image-files.txt"), await imageFiles(checkout));
  await refuseAddresses(out, [folder, ROOT, homedir()]);
  const names = (await readdir(out)).toSorted();
  const files = new Map<string, Buffer>();
  for (const name of names) files.set(name, await readFile(join(out, name)));
  const sums = names.map((name) => `${sha256(files.get(name) ?? "")}  ${name}\n`);
  return files.set("SHA256SUMS", Buffer.from(sums.join("")));
}

type Component = Readonly<Record<string, unknown>> & { readonly "bom-ref": string };
type Bom = {
  readonly metadata: { readonly component: object } & Readonly<Record<string, unknown>>;
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
} & Readonly<Record<string, unknown>>;

/** The code of these packages is in the console of the package. esbuild, which builds it, is not. */
const isBundled = (name: string): boolean => name !== "esbuild";

/** What npm writes, without a time, a random number and the name of the folder, and with what the console contains. */
async function billOfMaterials(checkout: string): Promise<string> {
  const line = ["sbom", "--sbom-format=cyclonedx", "--omit=dev", "--package-lock-only", "--workspaces=false"];
  const { stdout } = await run("npm", line, { cwd: checkout, ...LARGE });
  const { serialNumber: _random, metadata, ...bom } = JSON.parse(stdout) as Bom;
  const { timestamp: _time, tools: _npm, component, ...about } = metadata;
  const { name } = await readJson<Manifest>(join(checkout, "package.json"));
  const { dependencies } = await readJson<Manifest>(join(checkout, "console/package.json"));
  const { packages } = await readJson<Lock>(join(checkout, "package-lock.json"));
  const bundled = Object.keys(dependencies)
    .filter(isBundled)
    .map((part) => componentOf(part, packages[`node_modules/${part}`]));
  const refs = bundled.map((part) => part["bom-ref"]);
  const whole = {
    ...bom,
    metadata: { ...about, component: { ...component, name } },
    components: [...bom.components, ...bundled].toSorted(byRef),
    dependencies: [
      ...bom.dependencies.map((one) =>
        one.ref.startsWith(`${name}@`) ? { ...one, dependsOn: [...(one.dependsOn ?? []), ...refs] } : one,
      ),
      ...refs.map((ref) => ({ ref, dependsOn: [] })),
    ],
  };
  return `${JSON.stringify(whole, null, 2)}\n`;
}

const byRef = (a: Component, b: Component): number => (a["bom-ref"] < b["bom-ref"] ? -1 : 1);

function componentOf(name: string, locked: Locked | undefined): Component {
  if (locked?.integrity === undefined) throw new Error(`${name} is not in package-lock.json.`);
  const { version, integrity, license } = locked;
  const content = Buffer.from(integrity.replace("sha512-", ""), "base64").toString("hex");
  return {
    "bom-ref": `${name}@${version}`,
    type: "library",
    name,
    version,
    scope: "required",
    purl: `pkg:npm/${name}@${version}`,
    hashes: [{ alg: "SHA-512", content }],
    ...(license !== undefined && { licenses: [{ license: { id: license } }] }),
  };
}

/**
 * Every file that the last stage of the Dockerfile copies, with its hash. The packages are one line each, with the hash
 * in the lock file: what is in them depends on the platform of the image.
 */
async function imageFiles(checkout: string): Promise<string> {
  const last = (await readStages(checkout)).at(-1);
  const copies = (last?.steps ?? []).filter(({ keyword }) => keyword === "COPY");
  const lines = await Promise.all(copies.map(async ({ list }) => copiedLines(checkout, list)));
  return `${lines.flat().toSorted().join("\n")}\n`;
}

async function copiedLines(checkout: string, list: readonly string[]): Promise<readonly string[]> {
  const isBuilt = list[0]?.startsWith("--from=") ?? false;
  const paths = isBuilt ? list.slice(1) : list;
  const target = paths.at(-1) ?? "";
  // What another stage builds is built in the checkout, too, where .dockerignore does not count.
  const isIncluded = isBuilt ? () => true : await dockerIgnore(checkout);
  const lines: string[] = [];
  for (const source of paths.slice(0, -1)) {
    if (source === "/app/node_modules") lines.push(...(await imagePackages(checkout)));
    else
      lines.push(
        ...(await fileLines(checkout, { source: source.replace(/^\/app\//, ""), target, isIncluded })),
      );
  }
  return lines;
}

type Copied = {
  readonly source: string;
  readonly target: string;
  readonly isIncluded: (path: string) => boolean;
};

async function fileLines(
  checkout: string,
  { source, target, isIncluded }: Copied,
): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const entry of glob([source, `${source}/**`], { cwd: checkout, withFileTypes: true })) {
    const path = relative(checkout, join(entry.parentPath, entry.name));
    if (!entry.isFile() || !isIncluded(path)) continue;
    const inImage = target.endsWith("/") ? join(target, path) : join(target, relative(source, path));
    lines.push(`${join("/app", inImage)}  sha256:${sha256(await readFile(join(checkout, path)))}`);
  }
  return lines;
}

/**
 * Patterns of `.dockerignore` in the forms that ours has: a name, a name after `!`, and `**` before one. The last that
 * matches counts.
 */
async function dockerIgnore(checkout: string): Promise<(path: string) => boolean> {
  const lines = (await readFile(join(checkout, ".dockerignore"), "utf8"))
    .split("\n")
    .filter((line) => line !== "");
  const rules = lines.map((line) => ({ isIn: line.startsWith("!"), pattern: line.replace(/^!/, "") }));
  return (path) => {
    const rule = rules.findLast(
      ({ pattern }) => matchesGlob(path, pattern) || matchesGlob(path, `${pattern}/**`) || pattern === "*",
    );
    return rule?.isIn ?? true;
  };
}

/** The packages that the image installs, on Linux of any processor. The Dockerfile deletes those with Node.js. */
async function imagePackages(checkout: string): Promise<readonly string[]> {
  const { packages } = await readJson<Lock>(join(checkout, "package-lock.json"));
  const { dependencies } = await readJson<Manifest>(join(checkout, "console/package.json"));
  const ofConsole = consolePackages(packages, Object.keys(dependencies));
  return Object.entries(packages)
    .filter(([path, { dev, link, os }]) => {
      const isOurs = !path.startsWith("node_modules/") || link === true;
      const isOnLinux = os === undefined || [os].flat().includes("linux");
      return !isOurs && dev !== true && isOnLinux && !ofConsole.has(path) && !/\/node-linux-/.test(path);
    })
    .map(([path, { version, integrity }]) => `/app/${path}/  ${version} ${integrity}`);
}

/** The packages that only the console's workspace needs: they are not installed in the image. */
function consolePackages(packages: Lock["packages"], names: readonly string[]): ReadonlySet<string> {
  type WithNeeds = Locked &
    Readonly<Record<"dependencies" | "optionalDependencies", Record<string, string> | undefined>>;
  const needsOf = (path: string): readonly string[] => {
    const { dependencies = {}, optionalDependencies = {} } = (packages[path] ?? {}) as WithNeeds;
    return Object.keys({ ...dependencies, ...optionalDependencies });
  };
  const reached = (start: readonly string[]): ReadonlySet<string> => {
    const found = new Set<string>();
    const open = start.map((name) => `node_modules/${name}`);
    for (let path = open.pop(); path !== undefined; path = open.pop()) {
      if (found.has(path) || !(path in packages)) continue;
      found.add(path);
      for (const need of needsOf(path)) open.push(`node_modules/${need}`, `${path}/node_modules/${need}`);
    }
    return found;
  };
  return reached(names).difference(reached(needsOf("")));
}

/** Fails if a file, or one inside of the package, names a folder of this machine or the registry. */
async function refuseAddresses(out: string, folders: readonly string[]): Promise<void> {
  const unpacked = await mkdtemp(join(tmpdir(), "unpacked-"));
  try {
    for (const archive of await Array.fromAsync(glob("*.tgz", { cwd: out })))
      await run("tar", ["-xzf", join(out, archive), "-C", unpacked]);
    const { stdout } = await run("npm", ["config", "get", "registry"], { cwd: ROOT });
    const registry = URL.parse(stdout.trim())?.host ?? "";
    // A home such as `/` or `/root` is a part of harmless texts.
    const words = [...folders.filter((path) => path.split("/").length > 2), registry].filter(
      (word) => word !== "",
    );
    for (const folder of [out, unpacked])
      for await (const entry of glob("**", { cwd: folder, withFileTypes: true })) {
        if (!entry.isFile()) continue;
        const text = await readFile(join(entry.parentPath, entry.name), "latin1");
        const found = words.find((word) => text.includes(word));
        if (found !== undefined)
          throw new Error(`${entry.name} contains "${found}", which must not be published.`);
      }
  } finally {
    await rm(unpacked, { recursive: true });
  }
}

const { values } = parseArgs({ options: { out: { type: "string", default: join(ROOT, "release") } } });
// Folders of different lengths: a result that depends on its folder differs.
const folders = [
  await mkdtemp(join(tmpdir(), "release-")),
  await mkdtemp(join(tmpdir(), "release-a-second-time-")),
];
try {
  // Both copies come first, so that an edit meanwhile is in neither or both.
  for (const folder of folders) await copyCheckout(join(folder, "checkout"));
  const [first, second] = [await makeRelease(folders[0] ?? ""), await makeRelease(folders[1] ?? "")];
  for (const [name, bytes] of first)
    if (second.get(name)?.equals(bytes) !== true) throw new Error(`${name} differs between two builds.`);
  if (first.size !== second.size) throw new Error("One of two builds has more files.");
  await mkdir(values.out, { recursive: true });
  for (const [name, bytes] of first) await writeFile(join(values.out, name), bytes);
  process.stdout.write(`${first.get("SHA256SUMS")?.toString() ?? ""}Two builds are identical.\n`);
} finally {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
}
