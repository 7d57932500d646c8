/** Tables, and the controls of lists: filters and pages are in the address. */
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../messages.ts";
import { Options } from "./fields.tsx";
import type { SelectOption } from "./fields.tsx";
import { Link, navigate, useLocation, withQuery } from "../router.tsx";

export type TableColumn<Row> = {
  readonly head: string;
  readonly cell: (row: Row) => ComponentChildren;
  /**
   * Numbers are right-aligned; the heading names the row; actions are buttons and links; text is a sentence or more.
   */
  readonly kind?: "number" | "heading" | "actions" | "text";
};

export function Table<Row>({
  label,
  rows,
  columns,
  keyOf,
}: {
  /** What the table shows, for screen readers. */
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly TableColumn<Row>[];
  readonly keyOf: (row: Row) => string;
}): JSX.Element {
  return (
    <div class="table-scroll records" role="region" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map(({ head, kind }) => (
              <th key={head} scope="col" class={kind}>
                {kind === "actions" ? <span class="visually-hidden">{head}</span> : head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ head, cell, kind }) =>
                kind === "heading" ? (
                  <th key={head} scope="row">
                    {cell(row)}
                  </th>
                ) : (
                  <td key={head} class={kind} data-label={head}>
                    {cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Links to the first and the next page of a list. The browser's back button leads to the previous one. */
export function Pager({ next }: { readonly next: string | null }): JSX.Element | null {
  const location = useLocation();
  const cursor = location.query.get("cursor");
  const isFirst = cursor === null;
  const nav = useRef<HTMLElement>(null);
  const shown = useRef(cursor);
  useEffect(() => {
    if (shown.current === cursor) return;
    shown.current = cursor;
    focusList(nav.current);
  }, [cursor]);
  if (isFirst && next === null) return null;
  return (
    <nav ref={nav} class="pager" aria-label={t.list.pages}>
      {!isFirst && <Link href={withQuery(location, { cursor: undefined })}>{t.list.firstPage}</Link>}
      {next !== null && <Link href={withQuery(location, { cursor: next })}>{t.list.nextPage}</Link>}
    </nav>
  );
}

const LIST = ".table-scroll, .timeline";

/** A new page is read from its beginning, not from the links below it. A filter that led to it keeps the focus. */
function focusList(pager: HTMLElement | null): void {
  const { activeElement: focused, body } = document;
  if (!pager || (focused !== body && !pager.contains(focused))) return;
  for (let before = pager.previousElementSibling; before; before = before.previousElementSibling) {
    const list = before.matches(LIST) ? before : before.querySelector(LIST);
    if (!(list instanceof HTMLElement)) continue;
    if (!list.hasAttribute("tabindex")) list.tabIndex = -1;
    list.focus({ preventScroll: true });
    list.scrollIntoView();
    return;
  }
}

/** A search field whose text is a query parameter of the address. */
export function SearchField({
  name = "q",
  label,
}: {
  readonly name?: string;
  readonly label: string;
}): JSX.Element {
  const location = useLocation();
  const latest = useRef(location);
  latest.current = location;
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => () => clearTimeout(timer.current), []);
  // The back button and links change the address too.
  const current = location.query.get(name) ?? "";
  useEffect(() => {
    if (field.current && field.current.value.trim() !== current && timer.current === undefined)
      field.current.value = current;
  }, [current]);
  const search = (text: string) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      timer.current = undefined;
      navigate(withQuery(latest.current, { [name]: text.trim() }), { isReplaced: true });
    }, 250);
  };
  return (
    <label class="filter">
      <span>{label}</span>
      <input
        ref={field}
        type="search"
        maxLength={200}
        defaultValue={current}
        onInput={(event) => search(event.currentTarget.value)}
      />
    </label>
  );
}

type FilterProps = {
  readonly name: string;
  readonly label: string;
  /** The choice without a filter, unless it is among the options. */
  readonly any?: string;
  readonly options: readonly SelectOption[];
  /** What is chosen, if the address does not say it. */
  readonly value?: string;
};

/** A choice that is a query parameter of the address. */
export function FilterSelect({ name, label, any, options, value = "" }: FilterProps): JSX.Element {
  const location = useLocation();
  return (
    <label class="filter">
      <span>{label}</span>
      <select
        value={location.query.get(name) ?? value}
        onChange={(event) => navigate(withQuery(location, { [name]: event.currentTarget.value }))}
      >
        {any !== undefined && <option value="">{any}</option>}
        <Options of={options} />
      </select>
    </label>
  );
}

export function Filters({ children }: { readonly children: ComponentChildren }): JSX.Element {
  return <div class="filters">{children}</div>;
}
