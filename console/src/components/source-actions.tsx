/** What can be done with a source: test it, sync it, and show how it is. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Source, TriedAnswer, TriedSource } from "../../../src/contract/sources.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import type { AcceptedAnswer, TriggerSync } from "../../../src/contract/syncs.ts";
import type { Problem } from "../api.ts";
import type { ConsoleCatalog } from "../catalog.ts";
import { useThisCatalog } from "../catalog.ts";
import { remedies, runsText } from "../messages/runs.ts";
import { setupText } from "../messages/setup.ts";
import { navigate } from "../router.tsx";
import { useAction } from "../use-data.ts";
import type { PageAction } from "../use-data.ts";
import { ActionButton, Button, DialogButton } from "./buttons.tsx";
import { StateBadge } from "./state-badge.tsx";
import { isCanceled } from "./runs.tsx";
import type { Sample } from "./sample-result.tsx";
import { Badge, Notice } from "./ui.tsx";

/** Starts a sync. While another sync of the source runs, this one waits for it. */
export async function startSync(
  { fetch }: ConsoleCatalog,
  sourceId: string,
  options: Pick<Wire<typeof TriggerSync>, "max_removed_ratio"> = {},
): Promise<string> {
  const { run_id: id } = await fetch<AcceptedAnswer>("/syncs", {
    method: "POST",
    headers: { prefer: "respond-async" },
    body: { source_id: sourceId, guard: "hold", ...options },
  });
  return id;
}

/** Starts a dry run of a sync, and returns its run. */
export async function trySync({ fetch }: ConsoleCatalog, sourceId: string): Promise<string> {
  const { run_id: id } = await fetch<AcceptedAnswer>("/syncs", {
    method: "POST",
    headers: { prefer: "respond-async" },
    body: { source_id: sourceId, dry_run: true },
  });
  return id;
}

/** Syncs once without the limit on removals, after a sync that would have removed too many items was refused. */
export function AcceptRemovalButton({
  sourceId,
  onStarted,
}: {
  readonly sourceId: string;
  readonly onStarted: (runId: string) => void;
}): JSX.Element {
  const catalog = useThisCatalog();
  const { label, title, confirm, explained } = setupText.acceptRemoval;
  return (
    <DialogButton
      {...{ label, title, confirm }}
      act={async () => onStarted(await startSync(catalog, sourceId, { max_removed_ratio: 1 }))}
    >
      <p>{explained}</p>
    </DialogButton>
  );
}

type SourceButtonProps = {
  readonly source: Source;
  /** Says which source it is, where there are several. */
  readonly isInList?: boolean;
  readonly kind?: "primary" | "quiet";
};

export function SyncButton({
  source: { id, name },
  isInList = false,
  kind,
  onStarted,
}: SourceButtonProps & { readonly onStarted: (runId: string) => void }): JSX.Element {
  const catalog = useThisCatalog();
  return (
    <ActionButton
      scope="write"
      kind={kind}
      about={isInList ? name : undefined}
      act={async () => onStarted(await startSync(catalog, id))}
    >
      {setupText.sources.sync}
    </ActionButton>
  );
}

/** Shows what a sync would do, on the page of its run. */
export function TrySyncButton({
  source: { id, name },
  isInList = false,
  kind,
}: SourceButtonProps): JSX.Element {
  const catalog = useThisCatalog();
  return (
    <ActionButton
      scope="write"
      kind={kind}
      about={isInList ? name : undefined}
      act={async () => navigate(catalog.href(`/runs/${await trySync(catalog, id)}`))}
    >
      {setupText.sources.trySync}
    </ActionButton>
  );
}

export function SourceSwitch({
  source: { id, name, enabled },
  isInList = false,
  kind,
  onChange,
}: SourceButtonProps & { readonly onChange: () => void }): JSX.Element {
  const { call } = useThisCatalog();
  return (
    <ActionButton
      scope="write"
      kind={kind}
      about={isInList ? name : undefined}
      act={async () => {
        await call("/sources", { method: "PATCH", body: { id, enabled: !enabled } });
        onChange();
      }}
    >
      {enabled ? setupText.sources.switchOff : setupText.sources.switchOn}
    </ActionButton>
  );
}

export type SourceTest = PageAction<TriedSource> & {
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

/** Submits the form of a new source, or acts by itself beside the button that saves. */
export function TestButton({
  test: { isWorking },
  kind,
  onClick,
}: {
  readonly test: SourceTest;
  readonly kind?: "primary" | undefined;
  readonly onClick?: () => void;
}): JSX.Element {
  return (
    <Button
      scope="write"
      isWorking={isWorking}
      kind={kind}
      {...(onClick ? { onClick } : { type: "submit" as const })}
    >
      {isWorking ? setupText.source.testing : setupText.source.test}
    </Button>
  );
}

/** What to do about a problem: settings that may help, or a sentence. */
export function Advice({
  problem: { code, suggested },
  onApply,
}: {
  readonly problem: Problem;
  readonly onApply?: (settings: Readonly<Record<string, string>>) => void;
}): JSX.Element | null {
  const todo = <strong>{runsText.failure.todo}</strong>;
  if (suggested && onApply)
    return (
      <Notice tone="attention">
        <p>
          {todo} {setupText.sample.suggestion.todo}
        </p>
        <pre>{Object.values(suggested).join("\n")}</pre>
        <button type="button" onClick={() => onApply(suggested)}>
          {setupText.sample.suggestion.apply}
        </button>
      </Notice>
    );
  const remedy = remedies[code];
  if (remedy === undefined) return null;
  return (
    <Notice tone="neutral">
      <p>
        {todo} {remedy}
      </p>
    </Notice>
  );
}

type State = keyof typeof setupText.sources.states;

/** What is not a matter of right and wrong; null if the state says how the source is. */
function situationOf({ enabled, last_run: last }: Source): State | null {
  if (last?.status === "running") return "running";
  if (!enabled) return "off";
  if (!last) return "none";
  return isCanceled(last) ? "canceled" : null;
}

/** The state is the one that the overview has of the same source. */
export function SourceBadge({ source }: { readonly source: Source }): JSX.Element {
  const situation = situationOf(source);
  if (situation === null) return <StateBadge state={source.state} />;
  return <Badge tone="neutral">{setupText.sources.states[situation]}</Badge>;
}
