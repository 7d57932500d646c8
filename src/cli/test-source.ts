/** Tests a source for the command line: by a worker, under the worker's settings, or by the command where none is running. */
import { sampleSource } from "../pipeline/sync/sample.ts";
import type { Sampled, SourceToTry } from "../pipeline/sync/sample.ts";
import { requestSourceTest } from "../pipeline/source-tests/request.ts";
import { CATALOG_LIMITS } from "../setup/limits.ts";
import type { System } from "./system.ts";
import { isWorkerRunning } from "./worker-presence.ts";

export async function testSource(system: System, source: SourceToTry): Promise<Sampled> {
  const { stopping: signal } = system;
  if (!(await isWorkerRunning(system))) return sampleSource(system.jobs, source, signal);
  return requestSourceTest(system, { source, most: CATALOG_LIMITS.sourceTests, signal });
}
