/** About this installation: its version, its state, its license and where to read more. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Table } from "../components/table.tsx";
import { Await, Badge, Facts, PageHeading, Section } from "../components/ui.tsx";
import { aboutTexts as t } from "../messages/about.ts";
import { useData } from "../use-data.ts";

/** What `GET /api/v1` answers. */
type ApiDescription = {
  readonly data: {
    readonly version: string;
    readonly api_version: string;
    readonly authentication: string;
    readonly links: { readonly self: string };
  };
};

export function AboutPage(): JSX.Element {
  const loaded = useData<ApiDescription>("");
  return (
    <>
      <PageHeading title={t.title} />
      <Section title={t.installation}>
        <Await loaded={loaded}>
          {({ version, api_version: apiVersion, authentication, links }) => (
            <Facts
              entries={[
                [t.version, version],
                [t.health, <Health />],
                [t.address, <code class="url">{links.self}</code>],
                [t.apiVersion, apiVersion],
                [t.authentication, <code>{authentication}</code>],
                [t.license, t.licenseText],
              ]}
            />
          )}
        </Await>
      </Section>
      <Developers />
      <Documentation />
    </>
  );
}

function Health(): JSX.Element {
  const [isReady, setIsReady] = useState<boolean>();
  useEffect(() => {
    fetch("/readyz").then(
      ({ ok }) => setIsReady(ok),
      () => setIsReady(false),
    );
  }, []);
  if (isReady === undefined) return <span class="muted">{t.checking}</span>;
  return isReady ? <Badge tone="ok">{t.healthy}</Badge> : <Badge tone="bad">{t.unhealthy}</Badge>;
}

function Developers(): JSX.Element {
  return (
    <Section title={t.developers}>
      <ul>
        <li>
          <a href="/docs">{t.apiDocs}</a>: {t.apiDocsNote}
        </li>
        <li>
          <a href="/api/v1/openapi.json">{t.openapi}</a>: {t.openapiNote}
        </li>
      </ul>
      <p>{t.console}</p>
    </Section>
  );
}

function Documentation(): JSX.Element {
  return (
    <Section title={t.docs}>
      <p class="muted">{t.docsNote}</p>
      <Table
        label={t.docsNote}
        rows={Object.entries(t.pages)}
        columns={[
          { head: t.page, kind: "heading", cell: ([file]) => <code>{file}</code> },
          { head: t.about, cell: ([, text]) => text },
        ]}
        keyOf={([file]) => file}
      />
    </Section>
  );
}
