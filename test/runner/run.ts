/**
 * Runs test files in a few processes, several files in each: starting a process and loading the modules for each file
 * alone takes longer than the tests. A file whose process ends or hangs fails; the next file gets a new process.
 *
 * npm test -- [--timeout <ms>] [--concurrency <n>] [--long] [files or patterns]
 */
import type { ChildProcess } from "node:child_process";
import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { globalSetup, globalTeardown } from "../global-setup.ts";
import type { Report, TestResult } from "./messages.ts";

/**
 * All tests but those of whole processes. Those that measure memory first: they collect garbage many times, which takes
 * longer the more modules a process has loaded. Then those that wait for a database; the last ones only compute. Half
 * of the workers begin at the end: so there is always something to compute while others wait. They meet where the files
 * are short, so that all end at the same time.
 */
const ALL = [
  ...largestFirst("src/**/memory.long.test.ts"),
  ...largestFirst("test/{api/**/,runner/,patterns/,}*.test.ts"),
  ...largestFirst("src/{pipeline,cli,store,webhooks,sources}/**/*.test.ts").toReversed(),
  ...largestFirst("{receiver,bench,src}/**/*.test.ts").toReversed(),
];

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    timeout: { type: "string", default: "300000" },
    concurrency: { type: "string", default: "4" },
    /** The long suite instead of the everyday one. */
    long: { type: "boolean", default: false },
  },
});
const timeoutMs = Number(options.timeout);
/** After the timeout, a worker ends a file by itself, unless the file blocks its event loop. */
const blockedMs = 1.25 * timeoutMs;

/**
 * A worker lives for minutes, so that it collects little garbage: it starts with the heap that it will have in the end.
 * And it does not forget the bytecode of what it will call in a later file.
 */
const V8_FLAGS = [
  "--initial-heap-size=600",
  "--min-semi-space-size=64",
  "--max-semi-space-size=64",
  "--no-flush-bytecode",
];

type FileResult = {
  readonly file: string;
  readonly tests: readonly TestResult[];
  /** What is wrong with the file as a whole. */
  readonly failure: string | undefined;
  readonly seconds: number;
  readonly cpuSeconds: number;
};

const files = positionals.length === 0 ? [...new Set(ALL)].filter(isInSuite) : globSync(positionals).sort();
if (files.length === 0) throw new Error(`no test file matches ${positionals.join(" ")}`);
if (options.long) process.env["TEST_LONG"] = "1";

const started = performance.now();
const results: FileResult[] = [];
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void globalTeardown().finally(() => process.exit(1)));
}
await Promise.all([globalSetup(), ...(positionals.length === 0 ? [fillCompileCache()] : [])]);
try {
  const queue = [...files];
  await Promise.all(
    Array.from({ length: Number(options.concurrency) }, async (_, place) =>
      runQueue(() => (place % 2 === 0 ? queue.shift() : queue.pop())),
    ),
  );
} finally {
  await globalTeardown();
}
summarize();

function largestFirst(pattern: string): string[] {
  const sizes = new Map(globSync(pattern).map((file) => [file, statSync(file).size]));
  return [...sizes.keys()].sort((a, b) => (sizes.get(b) ?? 0) - (sizes.get(a) ?? 0));
}

/** Before the first run. Later, what has changed is compiled by each worker. */
async function fillCompileCache(): Promise<void> {
  const { NODE_COMPILE_CACHE: cache } = process.env;
  if (cache === undefined || existsSync(join(cache, "filled"))) return;
  // What is compiled with other flags is not used by the workers.
  await once(fork(join(import.meta.dirname, "compile.ts"), { execArgv: V8_FLAGS }), "exit");
  writeFileSync(join(cache, "filled"), "");
}

/** See `test/long.ts`. */
function isInSuite(file: string): boolean {
  const isLongOnly = file.endsWith(".long.test.ts");
  return options.long ? isLongOnly || readFileSync(file, "utf8").includes('/long.ts"') : !isLongOnly;
}

async function runQueue(next: () => string | undefined): Promise<void> {
  let worker: ChildProcess | undefined;
  for (let file = next(); file !== undefined; file = next()) {
    worker ??= startWorker();
    const result = await runFile(worker, file);
    results.push(result);
    printFile(result);
    if (result.failure !== undefined) {
      worker.kill("SIGKILL");
      worker = undefined;
    }
  }
  worker?.disconnect();
}

function startWorker(): ChildProcess {
  return fork(join(import.meta.dirname, "worker.ts"), {
    execArgv: [
      ...V8_FLAGS,
      `--import=${join(import.meta.dirname, "test-hook.ts")}`,
      `--test-reporter=${join(import.meta.dirname, "reporter.ts")}`,
      "--test-reporter-destination=stdout",
    ],
    env: {
      ...process.env,
      TEST_FILE_TIMEOUT_MS: String(timeoutMs),
      // Temporary files, too: on a disk, each of the thousands that tests write and flush is slower.
      TMPDIR: process.env["TEST_DATA_DIR"],
    },
  });
}

async function runFile(worker: ChildProcess, file: string): Promise<FileResult> {
  const start = performance.now();
  const tests: TestResult[] = [];
  let running = "";
  let cpuSeconds = 0;
  const failure = await new Promise<string | undefined>((resolve) => {
    const blocked = setTimeout(() => {
      resolve(`It blocks its process, in or before the test "${running}".`);
    }, blockedMs);
    const onExit = (code: number | null, signal: string | null): void => {
      resolve(`Its process ended with ${signal ?? `code ${code}`}, in or before the test "${running}".`);
    };
    const onMessage = (report: Report): void => {
      if (report.type === "started") running = report.title;
      if (report.type === "test") tests.push(report.result);
      if (report.type !== "file") return;
      clearTimeout(blocked);
      worker.off("exit", onExit).off("message", onMessage);
      cpuSeconds = report.cpuSeconds;
      resolve(report.failure);
    };
    worker.once("exit", onExit).on("message", onMessage);
    worker.send({ file });
  });
  return { file, tests, failure, cpuSeconds, seconds: (performance.now() - start) / 1_000 };
}

function isFailed({ failure, tests }: FileResult): boolean {
  return failure !== undefined || tests.some(({ state }) => state === "failed");
}

function printFile(result: FileResult): void {
  const { file, tests, failure, seconds, cpuSeconds } = result;
  const mark = isFailed(result) ? "✖" : "✔";
  console.log(
    `${mark} ${file} (${tests.length} tests, ${seconds.toFixed(1)} s, CPU ${cpuSeconds.toFixed(1)} s)`,
  );
  if (failure !== undefined) console.log(indent(failure));
  for (const test of tests) {
    if (test.state === "failed")
      console.log(`  ✖ ${test.title} (${test.place})\n${indent(test.failure ?? "")}`);
  }
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, "    ");
}

/** Once more what failed, by name: the output above may be long. */
function summarize(): void {
  const failed = results.filter(isFailed);
  for (const { file, tests, failure } of failed) {
    console.log(`\n✖ ${file}`);
    if (failure !== undefined) console.log("  the file itself");
    for (const { title, state } of tests) if (state === "failed") console.log(`  ${title}`);
  }
  const tests = results.flatMap((result) => result.tests);
  const count = (state: TestResult["state"]): number => tests.filter((test) => test.state === state).length;
  console.log(
    `\n${results.length} files, ${failed.length} failed; ${tests.length} tests, ` +
      `${count("failed")} failed, ${count("skipped")} skipped; ${((performance.now() - started) / 1_000).toFixed(0)} s`,
  );
  process.exitCode = failed.length === 0 ? 0 : 1;
}
