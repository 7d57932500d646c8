/** One attempt at a delivery: what was answered, how long each step took, and what to do if it failed. */
import type { JSX } from "preact";
import type { Attempt } from "../../../src/contract/webhooks.ts";
import { formatDuration } from "../format.ts";
import { deliveryTexts } from "../messages/webhooks.ts";
import { Badge, Time } from "./ui.tsx";

const t = deliveryTexts.one;

const STEPS = Object.keys(t.steps) as readonly (keyof typeof t.steps)[];

/** "name 2 ms, connection 1 ms": the steps that were reached. A reused connection saves the first ones. */
function steps({ duration_ms: ms }: Attempt): string {
  const reached = STEPS.flatMap((step) => {
    const value = ms[step];
    return value === null || (value === 0 && step !== "first_byte")
      ? []
      : [`${t.steps[step]} ${formatDuration(value)}`];
  });
  return (ms.connect === 0 ? [t.reused, ...reached] : reached).join(", ");
}

const adviceFor = (error: string | null): string | undefined =>
  error === null ? undefined : deliveryTexts.whatToDo[error as keyof typeof deliveryTexts.whatToDo];

export function AttemptDetails({ attempt }: { readonly attempt: Attempt }): JSX.Element {
  const { error, message, status, answer, location, address } = attempt;
  const advice = adviceFor(error);
  return (
    <div class="attempt">
      <p class="attempt-line">
        <Badge tone={error === null ? "ok" : "bad"}>{error === null ? t.delivered : t.failed}</Badge>
        {status !== null && <strong>{t.status(status)}</strong>}
        {status === null && <code>{error}</code>}
        <span>{formatDuration(attempt.duration_ms.total)}</span>
        <span class="muted">
          <Time at={attempt.started_at} />
        </span>
      </p>
      {message !== null && <p>{message}</p>}
      {advice !== undefined && <p>{advice}</p>}
      {location !== null && (
        <p>
          {t.location} <code class="url">{location}</code>
        </p>
      )}
      <p class="small muted">
        {[steps(attempt), address].filter((text) => text !== "" && text !== null).join(" · ")}
      </p>
      {answer !== null && <Answer text={answer} />}
    </div>
  );
}

function Answer({ text }: { readonly text: string }): JSX.Element {
  if (text === "") return <p class="small muted">{t.emptyAnswer}</p>;
  return (
    <details open={text.length <= 2_000}>
      <summary>{t.answer}</summary>
      <pre tabIndex={0} aria-label={t.answer} class="answer">
        {text}
      </pre>
    </details>
  );
}
