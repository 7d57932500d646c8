/** How far a run is, live. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Run, RunAnswer } from "../../../src/contract/runs.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import { toProblem } from "../api.ts";
import type { Problem } from "../api.ts";
import { useThisCatalog } from "../catalog.ts";
import { useEvents } from "../events.tsx";
import { formatNumber } from "../format.ts";
import { t } from "../messages.ts";
import { ProblemMessage } from "./ui.tsx";

/** One failed read may be a network that changes; the next one follows in a few seconds. */
const MAX_FAILED_READS = 3;

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
  const [problem, setProblem] = useState<Problem>();
  const failedReads = useRef(0);
  const show = (current: Run) => {
    failedReads.current = 0;
    setProblem(undefined);
    setRun(current);
  };
  const read = () => {
    fetch<Wire<typeof RunAnswer>>(`/runs/${runId}`)
      .then(show)
      .catch((error: unknown) => {
        failedReads.current += 1;
        if (failedReads.current >= MAX_FAILED_READS) setProblem(toProblem(error));
      });
  };
  useEffect(() => {
    read();
    // The stream of events may be interrupted.
    const timer = setInterval(read, 5_000);
    return () => clearInterval(timer);
  }, [runId]);
  useEvents({
    onRun: (changed) => changed.run_id === runId && show(changed),
    onProgress: ({ run_id: id, phase, done }) =>
      id === runId && setRun((before) => before && { ...before, phase, done }),
    onRefetch: read,
  });
  const hasEnded = run !== undefined && run.status !== "running";
  useEffect(() => {
    if (hasEnded) onEnd(run);
  }, [hasEnded]);
  if (problem) return <ProblemMessage problem={problem} onRetry={read} />;
  return (
    <p class="run-progress">
      <progress aria-label={t.run.progress} />
      <span>
        <span role="status">{run ? t.run.phases[run.phase ?? "queued"] : t.loading}</span>
        {run !== undefined && run.done > 0 && ` · ${formatNumber(run.done)}`}
      </span>
    </p>
  );
}
