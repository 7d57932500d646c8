/** What became of a render, and the decisions about it. */
import type { JSX } from "preact";
import type { Render } from "../../../src/contract/renders.ts";
import { useThisCatalog } from "../catalog.ts";
import { renderTexts } from "../messages/renders.ts";
import type { RenderStateName } from "../messages/renders.ts";
import { publicationChanged } from "../publication.ts";
import { DialogButton } from "./buttons.tsx";
import { TextField } from "./fields.tsx";
import { enteredText } from "./form.tsx";
import { Badge } from "./ui.tsx";
import type { Tone } from "./ui.tsx";

const TONES: Readonly<Record<RenderStateName, Tone>> = {
  current: "ok",
  published: "neutral",
  held: "attention",
  discarded: "neutral",
  superseded: "neutral",
  failed: "bad",
  running: "neutral",
  empty: "neutral",
};

type Stated = Pick<Render, "state" | "status" | "is_published">;

export function stateOf({ state, status, is_published: isPublished }: Stated): RenderStateName {
  if (isPublished) return "current";
  if (state !== null) return state;
  return status === "succeeded" ? "empty" : status;
}

export function RenderState({ render }: { readonly render: Stated }): JSX.Element {
  const state = stateOf(render);
  return <Badge tone={TONES[state]}>{renderTexts.states[state]}</Badge>;
}

/** A decision that a person makes about a render, with a reason that is kept. */
export function DecisionButton({
  path,
  runId,
  texts,
  kind,
  onDecided,
}: {
  readonly path: string;
  /** Undefined: the decision is about the catalog. */
  readonly runId?: string;
  readonly texts: {
    readonly label: string;
    readonly title: string;
    readonly confirm: string;
    readonly text: string;
  };
  readonly kind: "primary" | "danger";
  readonly onDecided: () => void;
}): JSX.Element {
  const { call } = useThisCatalog();
  const { label, title, confirm, text } = texts;
  const decide = async (entered: FormData) => {
    const reason = enteredText(entered, "reason");
    await call(path, { method: "POST", body: { ...(runId !== undefined && { run_id: runId }), reason } });
    publicationChanged();
    onDecided();
  };
  return (
    <DialogButton
      {...{ label, title, confirm, kind }}
      opener={kind === "primary" ? "primary" : "plain"}
      act={decide}
    >
      <p>{text}</p>
      <TextField
        label={renderTexts.reason}
        help={renderTexts.reasonHelp}
        name="reason"
        maxLength={1000}
        lines={2}
        required
      />
    </DialogButton>
  );
}
