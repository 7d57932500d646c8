/** Review by keys: which group is open, where the focus goes, and what a key means there. */
import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ProposalGroup, ProposalState } from "../../src/contract/proposals.ts";
import { isDecidedAtOnce, verbsOf } from "./components/proposal-group.tsx";
import { fieldName, proposalsText as t } from "./messages/proposals.ts";
import { focusedIn, focusOn } from "./review-focus.ts";
import type { Focused } from "./review-focus.ts";
import { navigate, useLocation, withQuery } from "./router.tsx";
import { wholeGroup } from "./use-review.ts";
import type { Review, ReviewTarget, ReviewAction } from "./use-review.ts";

export type ReviewList = {
  readonly root: RefObject<HTMLDivElement | null>;
  /** The group that is open. */
  readonly current: string | null;
  readonly skipped: ReadonlySet<string>;
  readonly toggle: (group: string) => void;
  readonly skip: (group: ProposalGroup) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  /** Decisions after which the focus is on what comes next. */
  readonly review: Review;
};

export function useReviewKeys(
  groups: readonly ProposalGroup[],
  state: ProposalState,
  base: Review,
): ReviewList {
  const root = useRef<HTMLDivElement>(null);
  const [skipped, setSkipped] = useState<ReadonlySet<string>>(new Set());
  const { current, open } = useOpenGroup();
  const review = useFocusAfter(base, { root, groups, current, open });
  const move = (from: string | undefined, by: number) => {
    const at = groups.findIndex(({ group }) => group === from);
    const next = groups[Math.min(Math.max(at + by, 0), groups.length - 1)];
    if (!next) return;
    open(next.group);
    requestAnimationFrame(() => focusOn(root.current, next.group));
  };
  const skip = (group: ProposalGroup) => {
    setSkipped(new Set([...skipped, group.group]));
    review.say(t.done.skip(labelOf(group)));
    move(group.group, 1);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const { group: key, proposal } = focusedIn(root.current);
    const group = groups.find((one) => one.group === key);
    const act = actionOf(event.key, { group, proposal, state, review, move, skip });
    if (!act) return;
    event.preventDefault();
    act();
  };
  const toggle = (group: string) => open(group === current ? undefined : group);
  return { root, current, skipped, toggle, skip, onKeyDown, review };
}

const labelOf = ({ field, value }: ProposalGroup): string => t.group(fieldName(field), value);

const TYPING = "input, select, textarea, dialog";
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest(TYPING) !== null;

/** The open group is in the address. */
function useOpenGroup() {
  const location = useLocation();
  const current = location.query.get("group");
  const open = (group: string | undefined) => {
    const cursor = location.query.get("cursor") ?? undefined;
    navigate(withQuery(location, { group, cursor }), { isReplaced: true });
  };
  return { current, open };
}

/** The focus was here, with this number of the group in the list. */
type Place = Focused & { readonly at: number };

type Shown = Pick<ReviewList, "root" | "current"> & {
  readonly groups: readonly ProposalGroup[];
  readonly open: (group: string) => void;
};

/**
 * After a decision the list is loaded again: the focus goes to the same line, or to the group that is now in its place.
 */
function useFocusAfter(review: Review, { root, groups, current, open }: Shown): Review {
  const place = useRef<Place | undefined>(undefined);
  const remember = () => {
    const focused = focusedIn(root.current);
    place.current = { ...focused, at: groups.findIndex(({ group }) => group === focused.group) };
  };
  // Before the next key is pressed.
  useLayoutEffect(() => {
    const { current: was } = place;
    if (!was) return;
    place.current = undefined;
    const same = groups.find(({ group }) => group === was.group);
    const next = same ?? groups[Math.max(was.at, 0)] ?? groups.at(-1);
    if (next && current !== null && next.group !== current) open(next.group);
    focusOn(root.current, next?.group, same ? was.line : null);
  }, [groups]);
  const decide = async (verb: ReviewAction, target: ReviewTarget) => {
    remember();
    await review.decide(verb, target);
  };
  const undo = async () => {
    remember();
    await review.undo();
  };
  return { ...review, decide, undo };
}

type Pressed = Pick<Focused, "proposal"> & {
  readonly group: ProposalGroup | undefined;
  readonly state: ProposalState;
  readonly review: Review;
  readonly move: (from: string | undefined, by: number) => void;
  readonly skip: (group: ProposalGroup) => void;
};

const VERBS: Readonly<Record<string, ReviewAction>> = { a: "approve", r: "reject", w: "withdraw" };

function actionOf(key: string, pressed: Pressed): (() => void) | undefined {
  const { group, state, review, move, skip } = pressed;
  if (key === "j" || key === "k") return () => move(group?.group, key === "j" ? 1 : -1);
  if (key === "u") return () => void review.undo();
  if (!group) return undefined;
  if (key === "s") return () => skip(group);
  const verb = VERBS[key];
  if (verb === undefined || !verbsOf(state).includes(verb)) return undefined;
  return () => decideOn(verb, group, pressed);
}

function decideOn(verb: ReviewAction, group: ProposalGroup, { proposal, state, review }: Pressed): void {
  if (proposal !== undefined)
    void review.decide(verb, { label: labelOf(group), chosen: { ids: [proposal] } });
  else if (verb === "approve" && !isDecidedAtOnce(group)) review.say(t.notInBulk);
  else void review.decide(verb, wholeGroup(group, state));
}
