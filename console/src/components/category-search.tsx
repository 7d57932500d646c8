/** A search in Google's taxonomy: a text field with a list of what was found, as the combobox pattern has it. */
import type { JSX } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { CategorySearchAnswer, GoogleCategory } from "../../../src/contract/categories.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import type { Problem } from "../api.ts";
import { useMissingScope } from "../catalog.ts";
import { categoriesText as t } from "../messages/categories.ts";
import { t as shared } from "../messages.ts";
import { pathWith } from "../router.tsx";
import { useData } from "../use-data.ts";
import { ProblemMessage } from "./ui.tsx";

const WAIT_MS = 200;
const LIMIT = 10;

/** The text after a pause in typing. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text.trim()), WAIT_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

type Search = {
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly found: readonly GoogleCategory[];
  /** Whether what was found is for this text. */
  readonly isKnown: boolean;
  readonly problem: Problem | undefined;
};

const NONE: readonly GoogleCategory[] = [];

function useSearch(): Search {
  const [text, setText] = useState("");
  const query = useSettled(text);
  const isAsked = query !== "" && text.trim() !== "";
  const { data, problem, isOutdated } = useData<Wire<typeof CategorySearchAnswer>>(
    isAsked ? pathWith("/categories/search", { q: query, limit: LIMIT }) : null,
  );
  const isKnown = isAsked && !isOutdated && data !== undefined;
  return { text, setText, found: isKnown ? data.categories : NONE, isKnown, problem };
}

/** The number of the option that the keys have reached; -1 for none. */
function useOptionKeys(
  found: readonly GoogleCategory[],
  {
    onChoose,
    onLeave,
  }: { readonly onChoose: (category: GoogleCategory) => void; readonly onLeave: () => void },
) {
  const [at, setAt] = useState(-1);
  const first = found[0]?.id;
  useEffect(() => setAt(-1), [first, found.length]);
  const onKeyDown = (event: KeyboardEvent) => {
    const { length } = found;
    const category = found[at];
    if (event.key === "ArrowDown" && length > 0) setAt((at + 1) % length);
    else if (event.key === "ArrowUp" && length > 0) setAt(at <= 0 ? length - 1 : at - 1);
    else if (event.key === "Enter" && category) onChoose(category);
    else if (event.key === "Escape") onLeave();
    else return;
    event.preventDefault();
  };
  return { at, onKeyDown };
}

export function CategorySearch({
  about,
  onChoose,
}: {
  /** The path that a category is searched for. */
  readonly about: string;
  readonly onChoose: (category: GoogleCategory) => void;
}): JSX.Element {
  const id = useId();
  const missing = useMissingScope("write");
  const { text, setText, found, isKnown, problem } = useSearch();
  const choose = (category: GoogleCategory) => {
    setText("");
    onChoose(category);
  };
  const { at, onKeyDown } = useOptionKeys(found, { onChoose: choose, onLeave: () => setText("") });
  return (
    <div class="category-search">
      <label for={id}>
        {t.search}
        <span class="visually-hidden">: {about}</span>
      </label>
      <input
        id={id}
        type="text"
        role="combobox"
        autocomplete="off"
        spellcheck={false}
        maxLength={200}
        disabled={missing !== undefined}
        aria-autocomplete="list"
        aria-describedby={`${id}-help`}
        {...listAttributes(id, found.length, at)}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <p id={`${id}-help`} class="small muted">
        {missing === undefined ? t.searchHelp : shared.form.missingScope(missing)}
      </p>
      {found.length > 0 && <Found {...{ id, found, at }} onChoose={choose} />}
      <p role="status" class={found.length === 0 ? "small" : "visually-hidden"}>
        {isKnown ? t.found(found.length) : ""}
      </p>
      {problem && <ProblemMessage problem={problem} />}
    </div>
  );
}

/** The list that belongs to the field, while there is one. */
const listAttributes = (id: string, length: number, at: number) => ({
  "aria-expanded": length > 0,
  ...(length > 0 && { "aria-controls": `${id}-list` }),
  ...(length > 0 && at >= 0 && { "aria-activedescendant": `${id}-${at}` }),
});

function Found({
  id,
  found,
  at,
  onChoose,
}: {
  readonly id: string;
  readonly found: readonly GoogleCategory[];
  readonly at: number;
  readonly onChoose: (category: GoogleCategory) => void;
}): JSX.Element {
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => list.current?.children[at]?.scrollIntoView({ block: "nearest" }), [at]);
  return (
    <ul ref={list} id={`${id}-list`} role="listbox" aria-label={t.results}>
      {found.map((category, number) => (
        <li
          key={category.id}
          id={`${id}-${number}`}
          role="option"
          aria-selected={number === at}
          onClick={() => onChoose(category)}
        >
          {category.path}
        </li>
      ))}
    </ul>
  );
}
