/** Values that are proposed for items, by group, and the decisions about them. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ProposalGroup, ProposalGroupsAnswer } from "../../../src/contract/proposals.ts";
import type { Run } from "../../../src/contract/runs.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import { useThisCatalog } from "../catalog.ts";
import { ActionButton, Button } from "../components/buttons.tsx";
import { GroupCard } from "../components/proposal-group.tsx";
import { Filters, FilterSelect, Pager } from "../components/table.tsx";
import { Await, Empty, PageHeading, ProblemMessage, Tabs } from "../components/ui.tsx";
import { Unpublished, useFeeds } from "../components/unpublished.tsx";
import { useEvents, useReload } from "../events.tsx";
import { fieldName, proposalsText as t } from "../messages/proposals.ts";
import { Link, pathWith, useLocation, withQuery } from "../router.tsx";
import { useData } from "../use-data.ts";
import { useReview } from "../use-review.ts";
import type { Review } from "../use-review.ts";
import { useReviewKeys } from "../use-review-keys.ts";
import { useRuleTitles } from "../use-rule-titles.ts";

const STATES = ["pending", "conflicted", "approved", "rejected"] as const;
type State = (typeof STATES)[number];
const PAGE = 20;

/** What the list shows changes with these. */
const isOfInterest = ({ kind, status }: Run): boolean =>
  status !== "running" && (kind === "proposals" || kind === "render");

export function ProposalsPage(): JSX.Element {
  const { query } = useLocation();
  const state = STATES.find((one) => one === query.get("state")) ?? "pending";
  const loaded = useData<Wire<typeof ProposalGroupsAnswer>>(
    pathWith("/proposals", {
      state,
      field: query.get("field"),
      cursor: query.get("cursor"),
      limit: PAGE,
    }),
  );
  const feeds = useFeeds();
  const reload = () => {
    loaded.reload();
    feeds.reload();
  };
  const review = useReview(reload);
  useReload(reload, { run: isOfInterest });
  return (
    <>
      <PageHeading title={t.title}>
        <Refresh />
      </PageHeading>
      <p class="muted">{t.intro}</p>
      <Unpublished feeds={feeds} />
      <Await loaded={loaded}>
        {({ groups, counts, next_cursor: next }) => (
          <>
            <StateTabs state={state} counts={counts} />
            <p>{t.stateHelp[state]}</p>
            <FieldFilter />
            {review.problem && <ProblemMessage problem={review.problem} />}
            <Groups groups={groups} state={state} review={review} />
            <Pager next={next} />
          </>
        )}
      </Await>
    </>
  );
}

/** Starts a search in the background, and says so until it has ended. */
function Refresh(): JSX.Element {
  const { fetch } = useThisCatalog();
  const [runId, setRunId] = useState<string>();
  useEvents({
    onRun: ({ run_id: ended, status }) => {
      if (ended === runId && status !== "running") setRunId(undefined);
    },
  });
  const refresh = async () => {
    const { run_id: started } = await fetch<{ readonly data: { readonly run_id: string } }>(
      "/proposals/refresh",
      { method: "POST" },
    );
    setRunId(started);
  };
  return (
    <div class="refresh">
      <ActionButton scope="write" act={refresh}>
        {t.refresh}
      </ActionButton>
      <p role="status" class="small muted">
        {runId === undefined ? "" : t.refreshing}
      </p>
    </div>
  );
}

function StateTabs({
  state,
  counts,
}: {
  readonly state: State;
  readonly counts: Readonly<Record<string, number>>;
}): JSX.Element {
  const location = useLocation();
  return (
    <Tabs
      label={t.tabs}
      tabs={STATES.map((one) => ({
        href: withQuery(location, { state: one === "pending" ? undefined : one, group: undefined }),
        text: t.states[one](counts[one] ?? 0),
        isCurrent: one === state,
      }))}
    />
  );
}

function FieldFilter(): JSX.Element {
  const { query } = useLocation();
  const current = query.get("field");
  const fields = Object.keys(t.fields);
  const all = current === null || fields.includes(current) ? fields : [...fields, current];
  return (
    <Filters>
      <FilterSelect
        name="field"
        label={t.field}
        any={t.anyField}
        options={all.map((field) => [field, fieldName(field)] as const)}
      />
    </Filters>
  );
}

function Groups({
  groups,
  state,
  review: base,
}: {
  readonly groups: readonly ProposalGroup[];
  readonly state: State;
  readonly review: Review;
}): JSX.Element {
  const { root, current, skipped, toggle, skip, onKeyDown, review } = useReviewKeys(groups, state, base);
  const titles = useRuleTitles();
  return (
    <div class="review" ref={root} onKeyDown={onKeyDown}>
      {groups.length === 0 ? (
        <Nothing state={state} />
      ) : (
        <>
          <Keys state={state} />
          <ol class="proposal-groups" aria-label={t.list}>
            {groups.map((group) => (
              <GroupCard
                key={group.group}
                {...{ group, state, review, titles }}
                isOpen={group.group === current}
                isSkipped={skipped.has(group.group)}
                onToggle={() => toggle(group.group)}
                onSkip={() => skip(group)}
              />
            ))}
          </ol>
        </>
      )}
      <div class={review.message === "" ? "visually-hidden" : "decision-bar"}>
        <p role="status">{review.message}</p>
        {review.canUndo && review.message !== "" && (
          <Button scope="write" isWorking={review.isWorking} onClick={() => void review.undo()}>
            {t.undo} <kbd>u</kbd>
          </Button>
        )}
      </div>
    </div>
  );
}

function Keys({ state }: { readonly state: State }): JSX.Element {
  const { keys } = t;
  const isOpen = state === "pending" || state === "conflicted";
  const all: readonly (readonly [string, string])[] = [
    ["j", keys.next],
    ["k", keys.previous],
    ...(isOpen
      ? ([
          ["a", keys.approve],
          ["r", keys.reject],
          ["s", keys.skip],
        ] as const)
      : ([["w", keys.withdraw]] as const)),
    ["u", keys.undo],
  ];
  return (
    <p class="small muted keys">
      {keys.title}{" "}
      {all.map(([key, text]) => (
        <span key={key} class="nowrap">
          <kbd>{key}</kbd> {text}
        </span>
      ))}{" "}
      {isOpen && keys.note}
    </p>
  );
}

function Nothing({ state }: { readonly state: State }): JSX.Element {
  const location = useLocation();
  const { query } = location;
  if (query.has("cursor"))
    return (
      <Empty>
        <p>{t.noMore}</p>
        <Link href={withQuery(location, { cursor: undefined })}>{t.firstPage}</Link>
      </Empty>
    );
  if (query.has("field"))
    return (
      <Empty>
        <p>{t.noMatch}</p>
        <Link href={withQuery(location, { field: undefined })}>{t.allFields}</Link>
      </Empty>
    );
  return (
    <Empty>
      <h2>{t.empty[state].title}</h2>
      <p>{t.empty[state].text}</p>
      {state !== "pending" && <Link href={withQuery(location, { state: undefined })}>{t.toPending}</Link>}
    </Empty>
  );
}
