/** The catalogs of the session with their states. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { UsableCatalog } from "../../../src/contract/catalogs.ts";
import { callApi } from "../api.ts";
import { StateBadge } from "../components/state-badge.tsx";
import { Button } from "../components/buttons.tsx";
import { TextField } from "../components/fields.tsx";
import { enteredText, Form } from "../components/form.tsx";
import { Filters, FilterSelect, SearchField, Table } from "../components/table.tsx";
import { Empty, Notice, PageHeading } from "../components/ui.tsx";
import { formatNumber } from "../format.ts";
import { catalogTexts as texts, STATE_NAMES } from "../messages/overview.ts";
import { Link, useLocation, withQuery } from "../router.tsx";
import { useSession } from "../session.tsx";
import { useAction } from "../use-data.ts";

/** No stream has the events of all catalogs. */
const RELOAD_MS = 30_000;
/** Shorter lists need no filter. */
const FILTERED_FROM = 6;

export function CatalogsPage(): JSX.Element {
  const { catalogs, is_operator: isOperator, reload } = useSession();
  const location = useLocation();
  useEffect(() => {
    reload();
    const timer = setInterval(() => document.visibilityState === "visible" && reload(), RELOAD_MS);
    return () => clearInterval(timer);
  }, []);
  const shown = filtered(catalogs, location.query);
  return (
    <>
      <PageHeading title={texts.title}>
        {isOperator && (
          <Link href="/new-catalog" class="button primary">
            {texts.create}
          </Link>
        )}
      </PageHeading>
      {catalogs.length >= FILTERED_FROM && (
        <Filters>
          <SearchField label={texts.search} />
          <FilterSelect
            name="state"
            label={texts.state}
            any={texts.anyState}
            options={Object.entries(STATE_NAMES)}
          />
        </Filters>
      )}
      {shown.length > 0 && <CatalogTable catalogs={shown} />}
      {shown.length === 0 && (
        <Empty>
          {catalogs.length === 0 ? (
            <>
              <p>{texts.empty}</p>
              {isOperator && <Link href="/new-catalog">{texts.create}</Link>}
            </>
          ) : (
            <>
              <p>{texts.noMatch}</p>
              <Link href={withQuery(location, { q: undefined, state: undefined })}>{texts.showAll}</Link>
            </>
          )}
        </Empty>
      )}
      {!isOperator && <p class="small muted">{texts.onlyOperators}</p>}
      <AddByKey onAdded={reload} />
    </>
  );
}

const ORDER = ["failing", "attention", "ok"];

/** The most urgent first. */
function filtered(catalogs: readonly UsableCatalog[], query: URLSearchParams): readonly UsableCatalog[] {
  const text = (query.get("q") ?? "").toLowerCase();
  const state = query.get("state") ?? "";
  return catalogs
    .filter(
      (one) =>
        (state === "" || one.state === state) && `${one.name} ${one.slug}`.toLowerCase().includes(text),
    )
    .toSorted((a, b) => ORDER.indexOf(a.state ?? "ok") - ORDER.indexOf(b.state ?? "ok"));
}

function CatalogTable({ catalogs }: { readonly catalogs: readonly UsableCatalog[] }): JSX.Element {
  return (
    <Table
      label={texts.list}
      rows={catalogs}
      keyOf={({ slug }) => slug}
      columns={[
        {
          head: texts.name,
          kind: "heading",
          cell: ({ slug, name, scopes }) => (
            <>
              <Link href={`/c/${slug}`}>{name}</Link>
              {!scopes.includes("write") && <span class="small muted"> ({texts.mayOnlyRead})</span>}
            </>
          ),
        },
        {
          head: texts.state,
          kind: "text",
          cell: ({ state, reason }) => (
            <div class="catalog-cell">
              <div>{state && <StateBadge state={state} />}</div>
              {state !== "ok" && <span class="small muted">{reason}</span>}
            </div>
          ),
        },
        {
          head: texts.score,
          kind: "number",
          cell: ({ score }) =>
            score == null ? <span class="small muted">{texts.notScored}</span> : formatNumber(score),
        },
        { head: texts.items, kind: "number", cell: ({ item_count: items }) => formatNumber(items) },
      ]}
    />
  );
}

function AddByKey({ onAdded }: { readonly onAdded: () => void }): JSX.Element {
  const [isAdded, setIsAdded] = useState(false);
  const { run, isWorking, problem } = useAction(async (entered: FormData) => {
    setIsAdded(false);
    await callApi("/session", { method: "POST", body: { key: enteredText(entered, "key") } });
    setIsAdded(true);
    onAdded();
  });
  return (
    <details class="add-key">
      <summary>{texts.addByKey}</summary>
      <Form
        key={String(isAdded)}
        hasNativeChecks
        problem={problem}
        onSubmit={(entered) => void run(entered)}
        fields={<TextField label={texts.key} help={texts.addText} name="key" type="password" required />}
      >
        {isAdded && (
          <Notice tone="ok">
            <p role="status">{texts.added}</p>
          </Notice>
        )}
        <Button type="submit" isWorking={isWorking}>
          {texts.add}
        </Button>
      </Form>
    </details>
  );
}
