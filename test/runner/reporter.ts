/**
 * The reporter of a worker: sends what `node:test` reports to the runner. A file is the test at the outermost level.
 */
import { relative } from "node:path";
import type { TestEvent } from "node:test/reporters";
import { inspect } from "node:util";
import type { Report, TestResult } from "./messages.ts";

type TestFailure = Error & { readonly failureType?: string };

// oxlint-disable-next-line import/no-default-export -- Node.js takes the default export of a reporter
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const titles: string[] = [];
  let usedBefore: NodeJS.CpuUsage | undefined;
  for await (const { type, data } of events) {
    if (type === "test:start") {
      titles.splice(data.nesting, Infinity, data.name);
      if (data.nesting > 0) send({ type: "started", title: titles.slice(1).join(" › ") });
    }
    if (type !== "test:pass" && type !== "test:fail") continue;
    const error = type === "test:fail" ? (data.details.error as TestFailure) : undefined;
    // The tests inside are reported on their own.
    const failure = error?.failureType === "subtestsFailed" ? undefined : error;
    if (data.nesting === 0) {
      const { user, system } = process.cpuUsage(usedBefore);
      usedBefore = process.cpuUsage();
      const cpuSeconds = (user + system) / 1_000_000;
      send({ type: "file", failure: failure && describeFailure(failure), cpuSeconds });
    } else if (data.details.type !== "suite" || failure) {
      const title = [...titles.slice(1, data.nesting), data.name].join(" › ");
      const place = `${relative(process.cwd(), data.file ?? "")}:${data.line}:${data.column}`;
      const state: TestResult["state"] = error ? "failed" : data.skip === undefined ? "passed" : "skipped";
      send({ type: "test", result: { title, state, place, failure: error && describeFailure(error) } });
    }
  }
  yield "";
}

/** Node.js wraps what a test throws. */
function describeFailure(error: TestFailure): string {
  if (error.failureType === "subtestsFailed") return error.message;
  const thrown =
    error.failureType === "testCodeFailure" || error.failureType === "hookFailed" ? error.cause : error;
  return inspect(thrown ?? error);
}

function send(report: Report): void {
  process.send?.(report);
}
