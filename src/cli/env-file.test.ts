import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { tempDir } from "../../test/fresh.ts";
import { withEnvFile } from "./env-file.ts";

async function merged(text: string, env: Readonly<Record<string, string>>): Promise<object> {
  await using folder = await tempDir();
  await writeFile(join(folder.path, ".env"), text);
  return { ...withEnvFile(env, folder.path) };
}

test("settings come from .env, and the environment has priority, also with an empty value", async () => {
  const env = { PORT: "9000", BASE_URL: "" };

  assert.deepEqual(await merged("# ours\nPORT=1\nHOST='::1'\nBASE_URL=https://x.example\n", env), {
    PORT: "9000",
    BASE_URL: "",
    HOST: "::1",
  });
});

test("a secret in the environment replaces that of the file, in either of its two forms", async () => {
  assert.deepEqual(
    await merged("SECRET_KEY=a\nDATABASE_URL_FILE=/b\n", { SECRET_KEY_FILE: "/c", DATABASE_URL: "d" }),
    {
      SECRET_KEY_FILE: "/c",
      DATABASE_URL: "d",
    },
  );
});

test("variables that are no settings are not read from .env", async () => {
  assert.deepEqual(await merged("NODE_OPTIONS=--inspect\nXDG_DATA_HOME=/x\nPORT=81\n", {}), { PORT: "81" });
});

test("without .env the environment is used as it is", async () => {
  await using folder = await tempDir();

  assert.deepEqual({ ...withEnvFile({ PORT: "1" }, folder.path) }, { PORT: "1" });
});
