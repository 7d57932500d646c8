/** How far a run is, live. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Run, RunAnswer } from "../../../src/contract/runs.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import { useThisCatalog } from "../catalog.ts";
import { useEvents } from "../events.tsx";
import { formatNumber } from "../format.ts";
import { t } from "../messages.ts";

/** Shows the phase and the count of a run until it has ended, then calls `onEnd` once. */
export function RunProgress({
  runId,
  onEnd,
}: {
  readonly runId: string;
  readonly onEnd: (run: Run) => void;
}): JSX.Element {
  const { fetch } = useThisCatalog();
  const [run, setRun] = useState<Run>();
  const read = () => {
    fetch<Wire<typeof RunAnswer>>(`/runs/${runId}`)
      .then(setRun)
      .catch(() => undefined);
  };
  useEffect(() => {
    read();
    // The stream of events may be interrupted.
    const timer = setInterval(read, 5_000);
    return () => clearInterval(timer);
  }, [runId]);
  useEvents({
    onRun: (changed) => changed.run_id === runId && setRun(changed),
    onProgress: ({ run_id: id, phase, done }) =>
      id === runId && setRun((before) => before && { ...before, phase, done }),
    onRefetch: read,
  });
  const hasEnded = run !== undefined && run.status !== "running";
  useEffect(() => {
    if (hasEnded) onEnd(run);
  }, [hasEnded]);
  return (
    <p class="run-progress" role="status">
      <progress aria-label={t.run.progress} />
      <span>
        {t.run.phases[run?.phase ?? "queued"]}
        {run !== undefined && run.done > 0 && ` · ${formatNumber(run.done)}`}
      </span>
    </p>
  );
}
