/** One proposal: the item, the value now and then, and the text that it was found in. */
import type { JSX } from "preact";
import type { Evidence, Proposal } from "../../../src/contract/proposals.ts";
import { placeName, proposalsText as t } from "../messages/proposals.ts";
import { shownValue, single } from "../use-review.ts";
import type { Review, ReviewAction } from "../use-review.ts";
import { Button } from "./buttons.tsx";
import { ItemLink } from "./item-link.tsx";
import { LongText } from "./long-text.tsx";
import { Time } from "./ui.tsx";

export function ProposalExample({
  proposal,
  verbs,
  review,
}: {
  readonly proposal: Proposal;
  readonly verbs: readonly ReviewAction[];
  readonly review: Review;
}): JSX.Element {
  const { id, item_id: itemId, title, evidence, confidence, decided_at: decidedAt, reason, state } = proposal;
  return (
    <li class="example" data-proposal={id}>
      <div class="example-head">
        <ItemLink id={itemId} title={title ?? ""} />
        <span class="small muted nowrap">{t.confidence(confidence)}</span>
        <div class="row-actions">
          {verbs.map((verb) => (
            <Button
              key={verb}
              scope="write"
              kind="quiet"
              isWorking={review.isWorking}
              about={`${itemId}, ${shownValue(proposal)}`}
              onClick={() => void review.decide(verb, single(proposal))}
            >
              {t.one[verb]}
            </Button>
          ))}
        </div>
      </div>
      <Change proposal={proposal} />
      {evidence.map((found) => (
        <Found key={`${found.field} ${found.from}`} evidence={found} />
      ))}
      {evidence.length === 0 && <p class="small muted">{t.noEvidence}</p>}
      {state !== "pending" && decidedAt !== null && (
        <p class="small muted">
          {t.decidedBy} <Time at={decidedAt} />
          {reason !== null && <> · {reason}</>}
        </p>
      )}
    </li>
  );
}

function Change({ proposal }: { readonly proposal: Proposal }): JSX.Element {
  const { current, state, is_grounded: isGrounded, is_generated: isGenerated } = proposal;
  const kind = isGrounded && !isGenerated ? "proposed" : "proposed unsure";
  return (
    <>
      <p class="change">
        {current === null ? <span class="muted">{t.none}</span> : <LongText text={current} />}
        <span aria-hidden="true"> → </span>
        <span class="visually-hidden"> {t.becomes} </span>
        <span class={kind}>
          <LongText text={shownValue(proposal)} />
        </span>
      </p>
      {state === "conflicted" && <Conflict proposal={proposal} />}
    </>
  );
}

function Conflict({
  proposal: { conflict, source_value: source },
}: {
  readonly proposal: Proposal;
}): JSX.Element {
  if (conflict === "evidence") return <p>{t.textChanged}</p>;
  if (source === null) return <p>{t.sourceNone}</p>;
  return (
    <p>
      {t.sourceNow} <b class="anywhere">{source}</b>
    </p>
  );
}

function Found({ evidence }: { readonly evidence: Evidence }): JSX.Element {
  const { field, before = "", after = "", text, from, item_id: sibling } = evidence;
  return (
    <p class="evidence small">
      <span class="muted">
        {placeName(field)}
        {sibling !== undefined && <> {t.sibling(sibling)}</>}:{" "}
      </span>
      {before.length < from && before !== "" && "…"}
      {before}
      <mark>{text}</mark>
      {after}
      {after.length === AROUND && "…"}
    </p>
  );
}

/** The API shows no more than this after the evidence. */
const AROUND = 80;
