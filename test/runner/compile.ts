/** Loads what most test files import, so that it is in the compile cache when the workers start: else each would compile and store it. */
await import("../api/running-api.ts");
await import("../command-line.ts");
await import("../installation.ts");
