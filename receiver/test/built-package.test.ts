/** All tests of the built package, in one file and so in one process: it is built once. */
import { after } from "node:test";
import { installed } from "./installed.ts";
import "./package.suite.ts";
import "./examples.suite.ts";

after(() => installed.remove());
