/** Where the focus is in the list of proposals, and where it goes. Groups and lines name themselves in the document. */

export type Focused = {
  readonly group: string | undefined;
  /** The id of the proposal in whose line the focus is. */
  readonly proposal: string | undefined;
  /** The number of this line in the group, from 0. */
  readonly line: number | null;
};

const GROUP = "[data-group]";
const LINE = "[data-proposal]";

const all = (within: Element, selector: string): readonly HTMLElement[] =>
  Array.from(within.querySelectorAll<HTMLElement>(selector));

export function focusedIn(root: HTMLElement | null): Focused {
  const focused = document.activeElement;
  const group = root?.contains(focused) === true ? focused?.closest<HTMLElement>(GROUP) : null;
  if (!group) return { group: undefined, proposal: undefined, line: null };
  const line = focused?.closest<HTMLElement>(LINE);
  return {
    group: group.dataset["group"],
    proposal: line?.dataset["proposal"],
    line: line ? all(group, LINE).indexOf(line) : null,
  };
}

/** On a line of the group or on its heading; without a group, on the button that undoes the last decision. */
export function focusOn(root: HTMLElement | null, key: string | undefined, line: number | null = null): void {
  if (!root) return;
  const group = all(root, GROUP).find((one) => one.dataset["group"] === key);
  const undo = root.querySelector<HTMLElement>(".decision-bar button");
  (group ? focusableIn(group, line) : undo)?.focus();
}

function focusableIn(group: HTMLElement, line: number | null): HTMLElement | null {
  const lines = line === null ? [] : all(group, LINE);
  const button = lines[Math.min(line ?? 0, lines.length - 1)]?.querySelector<HTMLElement>("button");
  return button ?? group.querySelector<HTMLElement>(".group-toggle");
}
