/** Which columns of a file could be which fields, with values to check, and a button that fills in the settings. */
import type { JSX } from "preact";
import type { TriedAnswer } from "../../../src/contract/sources.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import { setupText } from "../messages/setup.ts";
import { Table } from "./table.tsx";
import { Notice } from "./ui.tsx";

const text = setupText.sample.suggestion;

type Suggestion = NonNullable<Wire<typeof TriedAnswer>["data"]["suggestion"]>;
/** Settings that the suggestion has a text for. */
export type Suggested = { readonly columns?: string; readonly link_template?: string };

export function SuggestionNotice({
  suggestion: { seen, missing, columns, fields, prices, link_template: link },
  onApply,
}: {
  readonly suggestion: Suggestion;
  readonly onApply: (settings: Suggested) => void;
}): JSX.Element {
  const apply = (): void =>
    onApply({ ...(columns !== "" && { columns }), ...(link !== null && { link_template: link }) });
  return (
    <Notice tone="attention">
      <p>
        <strong>{text.title}.</strong> {missing.length > 0 && text.missing(missing.join(", "))}{" "}
        {text.seen(seen.join(", "))}
      </p>
      <PriceQuestion prices={prices} />
      {columns === "" && link === null ? (
        <p>
          {text.none(missing.join(", "))} {missing.includes("link") && text.noLink}
        </p>
      ) : (
        <>
          <p>{text.todo}</p>
          {fields.length > 0 && <SuggestedFields fields={fields} />}
          {link !== null && (
            <p>
              {text.link}: <code>{link}</code>
            </p>
          )}
          <button type="button" onClick={apply}>
            {text.apply}
          </button>
        </>
      )}
    </Notice>
  );
}

function PriceQuestion({ prices }: Pick<Suggestion, "prices">): JSX.Element | null {
  const [price, ...others] = prices;
  if (price === undefined) return null;
  const question =
    others.length === 0
      ? text.cents(price.column, price.values.join(", "))
      : text.prices(prices.map(({ column }) => column).join(", "));
  return <p>{question}</p>;
}

function SuggestedFields({ fields }: Pick<Suggestion, "fields">): JSX.Element {
  return (
    <Table
      label={text.table}
      rows={fields}
      keyOf={({ field }) => field}
      columns={[
        { head: text.column, kind: "heading", cell: ({ column }) => column },
        { head: text.field, cell: ({ field }) => <code>{field}</code> },
        { head: text.confidence, cell: ({ confidence }) => text.sure[confidence] },
        { head: text.values, kind: "text", cell: ({ values }) => values.join(" · ") },
      ]}
    />
  );
}
