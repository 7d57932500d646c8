/** Paths and version of the program. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

export const SAMPLE_DIR = join(ROOT, "sample");
/** The built console. */
export const CONSOLE_DIR = join(ROOT, "console/dist");

const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { readonly version: string };
export const VERSION = manifest.version;
export const USER_AGENT = `Shelfwire/${VERSION} (+catalog feed service)`;
