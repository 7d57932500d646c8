/** A group of proposals of the same value: what it is, what it gains, its items, and what to decide. */
import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import type {
  DecidedAnswer,
  Proposal,
  ProposalGroup,
  ProposalsAnswer,
  ProposalState,
} from "../../../src/contract/proposals.ts";
import type { Plan } from "../../../src/contract/plans.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import { useThisCatalog } from "../catalog.ts";
import { fieldName, proposalsText as t } from "../messages/proposals.ts";
import { Link, pathWith } from "../router.tsx";
import { groupValue, wholeGroup } from "../use-review.ts";
import type { Review, ReviewAction } from "../use-review.ts";
import { ruleHref } from "./audit-parts.tsx";
import { ActionButton, Button } from "./buttons.tsx";
import { PlanResult } from "./plan-result.tsx";
import { ProposalExample } from "./proposal-example.tsx";
import { Badge } from "./ui.tsx";

type GroupProps = {
  readonly group: ProposalGroup;
  readonly state: ProposalState;
  readonly isOpen: boolean;
  readonly isSkipped: boolean;
  readonly review: Review;
  readonly titles: ReadonlyMap<string, string>;
  readonly onToggle: () => void;
  readonly onSkip: () => void;
};

/** The server approves less sure values one at a time. */
const BULK_CONFIDENCE = 0.8;

/** Values that are in no text of the shop, that a model wrote or that are not sure are decided one by one. */
export const isDecidedAtOnce = ({
  is_grounded: isGrounded,
  is_generated: isGenerated,
  confidence,
  items,
}: ProposalGroup) => (isGrounded && !isGenerated && confidence >= BULK_CONFIDENCE) || items === 1;

export const verbsOf = (state: ProposalState): readonly ReviewAction[] =>
  state === "pending" || state === "conflicted" ? ["approve", "reject"] : ["withdraw"];

/** What is approved is shown as a whole, except descriptions: the end of a category's path says what it is. */
const LONGEST_WHOLE = 250;

export function GroupCard(props: GroupProps): JSX.Element {
  const { group, isOpen, isSkipped, onToggle } = props;
  const id = useId();
  const isSure = group.is_grounded && !group.is_generated;
  return (
    <li
      class={`card proposal-group${isOpen ? " current" : ""}${isSkipped ? " skipped" : ""}`}
      data-group={group.group}
    >
      <div class="group-head">
        <h2>
          <button
            type="button"
            class="group-toggle"
            aria-expanded={isOpen}
            aria-controls={id}
            onClick={onToggle}
          >
            <span class={groupValue(group).length > LONGEST_WHOLE ? "long" : ""}>
              <span class="group-field">{fieldName(group.field)}</span> ={" "}
              <span class={isSure ? "proposed" : "proposed unsure"}>{groupValue(group)}</span>
            </span>
          </button>
        </h2>
        <Facts {...props} />
        <GroupActions {...props} />
      </div>
      <div id={id}>{isOpen && <Detail {...props} />}</div>
    </li>
  );
}

function Facts({ group, isSkipped, titles }: GroupProps): JSX.Element {
  const { href } = useThisCatalog();
  const { items, gain, confidence, rule } = group;
  return (
    <p class="group-facts">
      <span>{t.items(items)}</span>
      {gain > 0 ? <b class="gain">{t.points(gain)}</b> : <span class="muted">{t.noPoints}</span>}
      <span class="muted">{items === 1 ? t.confidence(confidence) : t.lowestConfidence(confidence)}</span>
      {rule !== null && (
        <span class="muted">
          {t.finding} <Link href={href(ruleHref(rule))}>{titles.get(rule) ?? rule}</Link>
        </span>
      )}
      {!group.is_grounded && <Badge tone="attention">{t.ungrounded}</Badge>}
      {group.is_generated && <Badge tone="attention">{t.generated}</Badge>}
      {isSkipped && <Badge tone="neutral">{t.skipped}</Badge>}
    </p>
  );
}

const LABELS = {
  pending: t.verbs,
  conflicted: { ...t.verbs, approve: () => t.verbs.keep, reject: () => t.verbs.useSource },
  approved: t.verbs,
  rejected: { ...t.verbs, withdraw: t.verbs.again },
} as const;

function GroupActions({ group, state, review, onSkip }: GroupProps): JSX.Element {
  const labels = LABELS[state as keyof typeof LABELS] ?? t.verbs;
  const about = t.group(fieldName(group.field), groupValue(group));
  const button = (verb: ReviewAction, label: string, kind?: "primary") => (
    <Button
      scope="write"
      kind={kind}
      about={about}
      isWorking={review.isWorking}
      onClick={() => void review.decide(verb, wholeGroup(group, state))}
    >
      {label}
    </Button>
  );
  if (!verbsOf(state).includes("approve"))
    return <div class="buttons">{button("withdraw", labels.withdraw)}</div>;
  return (
    <div class="buttons">
      {isDecidedAtOnce(group) && button("approve", labels.approve(group.items), "primary")}
      {button("reject", labels.reject(group.items))}
      <Button kind="quiet" about={about} onClick={onSkip}>
        {labels.skip}
      </Button>
      {!isDecidedAtOnce(group) && <span class="small muted">{t.notInBulk}</span>}
    </div>
  );
}

function Detail({ group, state, review, titles }: GroupProps): JSX.Element {
  const { examples, next, load } = useExamples(group, state);
  return (
    <div class="group-detail">
      {!group.is_grounded && <p class="unsure-help">{t.ungroundedHelp}</p>}
      {group.is_generated && <p class="unsure-help">{t.generatedHelp}</p>}
      {verbsOf(state).includes("approve") && <Preview group={group} state={state} titles={titles} />}
      <h3>
        {t.examples} <span class="muted small">{t.shown(examples.length, group.items)}</span>
      </h3>
      <ul class="examples">
        {examples.map((proposal) => (
          <ProposalExample key={proposal.id} proposal={proposal} verbs={verbsOf(state)} review={review} />
        ))}
      </ul>
      {next !== null && (
        <div>
          <ActionButton act={load}>{t.more}</ActionButton>
        </div>
      )}
    </div>
  );
}

const PAGE = 50;

/** The examples that came with the group, and more on demand. They are forgotten when the group changes. */
function useExamples({ group, items, examples: first }: ProposalGroup, state: ProposalState) {
  const { fetch } = useThisCatalog();
  const [more, setMore] = useState<{
    readonly of: readonly Proposal[];
    readonly all: readonly Proposal[];
    readonly next: string | null;
  }>();
  const known = more?.of === first ? more : undefined;
  const load = async () => {
    const page = await fetch<Wire<typeof ProposalsAnswer>>(
      pathWith("/proposals/items", { group, state, limit: PAGE, cursor: known?.next }),
    );
    setMore({ of: first, all: [...(known?.all ?? []), ...page.proposals], next: page.next_cursor });
  };
  return {
    examples: known?.all ?? first,
    next: known ? known.next : items > first.length ? "" : null,
    load,
  };
}

function Preview({ group, state, titles }: Pick<GroupProps, "group" | "state" | "titles">): JSX.Element {
  const { fetch } = useThisCatalog();
  const [tried, setTried] = useState<{ readonly of: ProposalGroup; readonly plan: Plan }>();
  const { chosen } = wholeGroup(group, state);
  const ids = { ids: group.examples.map(({ id }) => id) };
  const preview = async () => {
    const { plan } = await fetch<Wire<typeof DecidedAnswer>>("/proposals/approve", {
      method: "POST",
      body: { ...(isDecidedAtOnce(group) ? chosen : ids), dry_run: true },
    });
    if (plan) setTried({ of: group, plan });
  };
  const plan = tried?.of === group ? tried.plan : undefined;
  return (
    <>
      <div class="buttons">
        <ActionButton scope="write" act={preview}>
          {plan ? t.previewAgain : t.preview}
        </ActionButton>
        {plan && (
          <Button kind="quiet" onClick={() => setTried(undefined)}>
            {t.closePreview}
          </Button>
        )}
      </div>
      <div role="status">{plan && <PlanResult plan={plan} titles={titles} />}</div>
    </>
  );
}
