/** One item: what is stored, what the audit found on it, and what each feed makes of it. */
import type { JSX } from "preact";
import type { ItemAnswer } from "../../../src/contract/items.ts";
import { useThisCatalog } from "../catalog.ts";
import { Severity, ruleHref } from "../components/audit-parts.tsx";
import { Explain } from "../components/explain.tsx";
import { FeedComparison } from "../components/feed-comparison.tsx";
import { itemHref } from "../components/item-link.tsx";
import { ServedDifferences } from "../components/served-differences.tsx";
import { RemoveItemsButton } from "../components/remove-items.tsx";
import { Remedy } from "../components/remedy.tsx";
import { Table } from "../components/table.tsx";
import { CopyLine } from "../components/copy-button.tsx";
import { Await, Facts, Notice, PageHeading, Section } from "../components/ui.tsx";
import { isAudited, useReload } from "../events.tsx";
import { auditText } from "../messages/audit.ts";
import { itemsText, itemText as t } from "../messages/items.ts";
import { Link, pathWith, useLocation } from "../router.tsx";
import type { PageProps } from "../router.tsx";
import { useData } from "../use-data.ts";
import { Availability } from "./items.tsx";

type ItemData = ItemAnswer["data"];

export function ItemPage({ params }: PageProps): JSX.Element {
  const { query } = useLocation();
  const id = params["id"] ?? query.get("id") ?? "";
  const { href } = useThisCatalog();
  const loaded = useData<ItemAnswer>(itemHref(id));
  useReload(loaded.reload, { run: isAudited });
  return (
    <>
      <PageHeading title={loaded.data?.item.title || id || itemsText.title}>
        <Link href={href("/items")}>{t.back}</Link>
      </PageHeading>
      <Await loaded={loaded}>
        {(data) => (
          <>
            <Head data={data} />
            <Refusals data={data} />
            <ServedDifferences of={data.published} />
            <Findings data={data} />
            <FeedComparison data={data} />
            <Explain id={data.item.id} />
            {data.source_id === null && (
              <RemoveItemsButton items={{ ids: [data.item.id] }} label={itemsText.remove.one} />
            )}
            <details>
              <summary>{t.rawItem}</summary>
              <pre tabIndex={0}>{JSON.stringify(data.item, null, 2)}</pre>
            </details>
          </>
        )}
      </Await>
    </>
  );
}

function Head({ data }: { readonly data: ItemData }): JSX.Element {
  const { item } = data;
  const { href } = useThisCatalog();
  const { group_id: group } = item;
  return (
    <div class="card">
      <Facts
        entries={[
          [t.id, <CopyLine text={item.id} label={t.copyId} />],
          [t.score, <ItemScore data={data} />],
          [t.source, <ItemSource data={data} />],
          ...(group === undefined
            ? []
            : [
                [
                  t.group,
                  <>
                    <code>{group}</code>
                    {" · "}
                    <Link href={href(pathWith("/items", { group_id: group }))}>{t.siblings}</Link>
                  </>,
                ] as const,
              ]),
          [t.fields.availability, <Availability of={item.availability} />],
          ...(item.link === undefined ? [] : [[t.fields.link, <ShopLink url={item.link} />] as const]),
        ]}
      />
    </div>
  );
}

function ItemScore({ data: { score, audit } }: { readonly data: ItemData }): JSX.Element {
  if (score === null) return <>{t.notScored}</>;
  return (
    <>
      {t.scoreOf(audit.score, audit.grade)}
      {score !== audit.score && <span class="muted"> · {t.atAudit(score)}</span>}
    </>
  );
}

function ItemSource({ data: { source, source_id: id } }: { readonly data: ItemData }): JSX.Element {
  const { href } = useThisCatalog();
  return source ? <Link href={href(`/sources/${source.id}`)}>{source.name}</Link> : <>{id ?? t.pushed}</>;
}

/** A link only to a web page: the text is the shop's. */
function ShopLink({ url }: { readonly url: string }): JSX.Element {
  if (!/^https?:/i.test(url)) return <>{url}</>;
  return (
    <a href={url} target="_blank" rel="noreferrer">
      {t.openInShop}
    </a>
  );
}

/** The reasons why platforms will not show the item, each once. */
function Refusals({ data: { feeds, audit } }: { readonly data: ItemData }): JSX.Element {
  const reasons = new Map<
    string,
    { refusal: NonNullable<ItemData["feeds"][number]["refusal"]>; isIncluded: boolean; files: string[] }
  >();
  for (const { file, included: isIncluded, refusal } of feeds) {
    if (!refusal) continue;
    const key = `${isIncluded} ${refusal.code} ${refusal.message}`;
    const known = reasons.get(key);
    if (known) known.files.push(file);
    else reasons.set(key, { refusal, isIncluded, files: [file] });
  }
  const channels = audit.blocked_by.map(
    (id) => (auditText.channels.names as Readonly<Record<string, string>>)[id] ?? id,
  );
  return (
    <>
      {[...reasons].map(([key, { refusal, isIncluded, files }]) => (
        <Notice key={key} tone="bad">
          <p>
            <b>{t.refused(files.join(", "), isIncluded)}.</b> {refusal.message}
          </p>
          {refusal.remedy !== null && (
            <p>
              {t.whatToDo} <Remedy code={refusal.code} remedy={refusal.remedy} />
            </p>
          )}
          <p class="small">
            {t.code} <code>{refusal.code}</code>
          </p>
        </Notice>
      ))}
      {channels.length > 0 && reasons.size === 0 && (
        <Notice tone="bad">
          <p>{t.refusedBy(channels.join(", "))}</p>
        </Notice>
      )}
    </>
  );
}

function Findings({ data: { audit } }: { readonly data: ItemData }): JSX.Element {
  const { href } = useThisCatalog();
  const { findings: text } = t;
  return (
    <Section title={text.title}>
      {audit.findings.length === 0 ? (
        <p>{text.none}</p>
      ) : (
        <Table
          label={text.label}
          rows={audit.findings}
          keyOf={({ rule }) => rule}
          columns={[
            {
              head: text.problem,
              kind: "heading",
              cell: ({ rule, title, message, advice }) => (
                <>
                  <Link href={href(ruleHref(rule))}>{title}</Link>
                  {message !== null && <span class="cell-note">{message}</span>}
                  <span class="cell-note small muted">
                    {t.whatToDo} {advice}
                  </span>
                </>
              ),
            },
            { head: text.severity, cell: ({ severity }) => <Severity of={severity} /> },
            { head: text.lost, kind: "number", cell: ({ lost }) => lost.toFixed(2) },
          ]}
        />
      )}
      {audit.unknown.length > 0 && <p class="small muted">{text.unknown(audit.unknown.length)}</p>}
    </Section>
  );
}
