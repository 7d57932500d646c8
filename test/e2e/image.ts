/**
 * The steps of the Dockerfile in plain folders, one for each stage: `COPY` copies, `RUN` runs, in the order in which an
 * engine would. Only the file system of the image is not there: its absolute paths are in the stage's folder.
 */
import { execFile } from "node:child_process";
import { cp, mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Stage } from "../../tools/dockerfile.ts";

const ROOT = join(import.meta.dirname, "../..");

export type Built = {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** What the image runs. */
  readonly entry: readonly string[];
  readonly health: readonly string[];
};

type Options = {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
};

export async function buildImage(stages: readonly Stage[], { folder, env }: Options): Promise<Built> {
  const built = {
    env: {} as Record<string, string>,
    entry: [] as string[],
    command: [] as string[],
    health: [] as string[],
  };
  let app = "";
  for (const stage of stages) {
    const place = (path: string) => join(folder, stage.name, path);
    app = place("app");
    await mkdir(app, { recursive: true });
    await mkdir(place("usr/local/bin"), { recursive: true });
    for (const { keyword, text, list } of stage.steps) {
      if (keyword === "COPY") await copy(list, app, folder);
      else if (keyword === "RUN" && / npm ci /.test(` ${text} `) && !text.includes("--omit=dev")) {
        // The same packages from the same lock file, installed here already.
        await symlink(join(ROOT, "node_modules"), join(app, "node_modules"));
      } else if (keyword === "RUN") {
        const line = text
          .replaceAll("-o node -g node ", "")
          .replaceAll(/(?<= )\/(?=data|app|usr)/g, place("/"));
        await promisify(execFile)("sh", ["-c", line], { cwd: app, env });
      } else if (keyword === "ENV") {
        for (const pair of list) {
          const [name = "", value = ""] = pair.split("=");
          built.env[name] = value.startsWith("/") ? place(value) : value;
        }
      } else if (keyword === "ENTRYPOINT") built.entry = [...list];
      else if (keyword === "CMD") built.command = [...list];
      else if (keyword === "HEALTHCHECK")
        built.health = JSON.parse(text.slice(text.indexOf("["))) as string[];
    }
  }
  return { folder: app, env: built.env, entry: [...built.entry, ...built.command], health: built.health };
}

async function copy(list: readonly string[], app: string, folder: string): Promise<void> {
  const stage = list[0]?.startsWith("--from=") ? list[0].slice("--from=".length) : undefined;
  const paths = stage === undefined ? list : list.slice(1);
  const target = paths.at(-1) ?? "";
  for (const source of paths.slice(0, -1)) {
    const from = stage === undefined ? join(ROOT, source) : join(folder, stage, source);
    const to = target.endsWith("/") ? join(app, target, source) : join(app, target);
    await cp(from, to, { recursive: true, verbatimSymlinks: true });
  }
}
