/**
 * Loads what most test files import, so that it is in the compile cache when the workers start: else each would compile
 * and store it.
 */
import { globSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const USED_BY_MANY = [
  "test/api/running-api.ts",
  "test/command-line.ts",
  "test/installation.ts",
  "test/fakes/*-shop.ts",
  "test/fakes/receiver-seed.ts",
  // A command is loaded when it is run.
  "src/cli/commands/*.ts",
  "src/{audit,channels,enrich}/**/*.fixture.ts",
];

for (const file of globSync(USED_BY_MANY).filter((found) => !found.endsWith(".test.ts")))
  await import(pathToFileURL(resolve(file)).href);
