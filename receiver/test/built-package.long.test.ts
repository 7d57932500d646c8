/** All tests of the built package, in one file and so in one process: it is built once. */
import { after } from "node:test";
import { installed } from "./installed.ts";

after(() => installed.remove());

await import("./package.suite.ts");
await import("./examples.suite.ts");
