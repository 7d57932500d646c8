/** What can be done with a source: test it, sync it, and show how it is. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Source, TriedAnswer, TriedSource } from "../../../src/contract/sources.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import type { AcceptedAnswer } from "../../../src/contract/syncs.ts";
import { Problem } from "../api.ts";
import type { Catalog } from "../catalog.ts";
import { useThisCatalog } from "../catalog.ts";
import { remedies, runsText } from "../messages/runs.ts";
import { setupText } from "../messages/setup.ts";
import { useAction } from "../use-data.ts";
import type { Action } from "../use-data.ts";
import { isCanceled } from "./runs.tsx";
import type { Sample } from "./sample-result.tsx";
import { Badge, Notice, ProblemMessage } from "./ui.tsx";
import type { Tone } from "./ui.tsx";

/** Starts a sync. If one is under way already, that one is followed. */
export async function startSync({ fetch }: Catalog, sourceId: string): Promise<string> {
  try {
    const { run_id: id } = await fetch<AcceptedAnswer>("/syncs", {
      method: "POST",
      headers: { prefer: "respond-async" },
      body: { source_id: sourceId },
    });
    return id;
  } catch (error) {
    if (error instanceof Problem && error.code === "sync_in_progress" && error.runId !== null)
      return error.runId;
    throw error;
  }
}

export type SourceTest = Action<TriedSource> & {
  readonly sample: Sample | undefined;
};

export function useSourceTest(): SourceTest {
  const { fetch } = useThisCatalog();
  const [sample, setSample] = useState<Sample>();
  const action = useAction(async (tried: TriedSource) => {
    setSample(undefined);
    setSample(await fetch<Wire<typeof TriedAnswer>>("/sources/test", { method: "POST", body: tried }));
  });
  const clear = () => {
    setSample(undefined);
    action.clear();
  };
  return { ...action, sample, clear };
}

/** A problem with what to do about it, if that is known, and settings that may help. */
export function ProblemWithRemedy({
  problem,
  onApply,
}: {
  readonly problem: Problem;
  readonly onApply?: (settings: Readonly<Record<string, string>>) => void;
}): JSX.Element {
  const { code, suggested } = problem;
  const remedy = remedies[code];
  if (suggested && onApply)
    return (
      <>
        <ProblemMessage problem={problem} />
        <Notice tone="attention">
          <p>
            <strong>{runsText.failure.todo}</strong> {setupText.sample.suggestion.todo}
          </p>
          <pre>{Object.values(suggested).join("\n")}</pre>
          <button type="button" onClick={() => onApply(suggested)}>
            {setupText.sample.suggestion.apply}
          </button>
        </Notice>
      </>
    );
  return (
    <>
      <ProblemMessage problem={problem} />
      {remedy !== undefined && (
        <Notice tone="neutral">
          <p>
            <strong>{runsText.failure.todo}</strong> {remedy}
          </p>
        </Notice>
      )}
    </>
  );
}

type State = keyof typeof setupText.sources.states;

const TONES: Readonly<Record<State, Tone>> = {
  ok: "ok",
  off: "neutral",
  none: "neutral",
  running: "neutral",
  canceled: "neutral",
  failing: "bad",
};

function stateOf({ enabled, last_run: last }: Source): State {
  if (last?.status === "running") return "running";
  if (!enabled) return "off";
  if (!last) return "none";
  if (isCanceled(last)) return "canceled";
  return last.status === "failed" ? "failing" : "ok";
}

export function SourceBadge({ source }: { readonly source: Source }): JSX.Element {
  const state = stateOf(source);
  return <Badge tone={TONES[state]}>{setupText.sources.states[state]}</Badge>;
}
