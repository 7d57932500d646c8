/** Connecting a shop: the kind, its settings with a test, the first sync, and the feeds. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { KindsAnswer, SourceAnswer } from "../../../src/contract/sources.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import { useThisCatalog } from "../catalog.ts";
import { Button } from "../components/buttons.tsx";
import { Form } from "../components/form.tsx";
import { SampleResult } from "../components/sample-result.tsx";
import { Advice, startSync, TestButton, useSourceTest } from "../components/source-actions.tsx";
import { NameField, SettingFields } from "../components/source-form.tsx";
import type { SourceKindInfo, SourceFormValues } from "../components/source-form.tsx";
import { SyncResult } from "../components/sync-result.tsx";
import { Await, PageHeading, Section } from "../components/ui.tsx";
import { setupText } from "../messages/setup.ts";
import { Link, navigate, useLocation, withQuery } from "../router.tsx";
import { useAction, useData } from "../use-data.ts";
import type { PageAction } from "../use-data.ts";

const text = setupText.source;

export function NewSourcePage(): JSX.Element {
  const location = useLocation();
  const kinds = useData<Wire<typeof KindsAnswer>>("/sources/kinds");
  const chosen = location.query.get("kind");
  const runId = location.query.get("run");
  if (runId !== null) return <FirstSync runId={runId} sourceId={location.query.get("source") ?? ""} />;
  return (
    <>
      <PageHeading title={text.connectTitle} />
      <Await loaded={kinds}>
        {({ kinds: all }) => {
          const kind = all.find((one) => one.kind === chosen);
          return (
            <>
              <KindCards kinds={all} chosen={chosen} />
              {kind && <NewSource key={kind.kind} kind={kind} />}
            </>
          );
        }}
      </Await>
    </>
  );
}

function KindCards({
  kinds,
  chosen,
}: {
  readonly kinds: readonly SourceKindInfo[];
  readonly chosen: string | null;
}): JSX.Element {
  const location = useLocation();
  const { href } = useThisCatalog();
  const cards = [
    ...kinds.map(({ kind, label }) => ({
      to: withQuery(location, { kind }),
      label,
      sentence: setupText.kinds[kind] ?? "",
      isChosen: kind === chosen,
    })),
    { to: href("/upload"), label: text.upload, sentence: text.uploadSentence, isChosen: false },
  ];
  return (
    <nav aria-label={text.kinds}>
      <p>{text.connectIntro}</p>
      <ul class="choices">
        {cards.map(({ to, label, sentence, isChosen }) => (
          <li key={to}>
            <Link class="card choice" href={to} {...(isChosen && { "aria-current": "true" as const })}>
              <span class="choice-name">{label}</span>
              <span class="small muted">{sentence}</span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The settings that have a value. */
const entered = (values: SourceFormValues): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => (entry[1] ?? "") !== ""),
  );

/** The host of the shop's address, or the name of the kind. */
const defaultName = ({ label }: SourceKindInfo, { url, shop }: SourceFormValues): string =>
  URL.parse(url ?? "")?.hostname || shop || label;

function NewSource({ kind }: { readonly kind: SourceKindInfo }): JSX.Element {
  const [values, setValues] = useState<SourceFormValues>({});
  const [name, setName] = useState("");
  const test = useSourceTest();
  const save = useSave({ kind, values, name });
  const change = (next: SourceFormValues) => {
    setValues(next);
    test.clear();
  };
  const apply = (found: SourceFormValues) => change({ ...values, ...found });
  const problem = test.isWorking ? undefined : (save.problem ?? test.problem);
  const isTested = (test.sample?.items.length ?? 0) > 0;
  return (
    <>
      <Section title={text.settings(kind.label)}>
        <Form
          hasNativeChecks
          scope="write"
          problem={problem}
          advice={problem && <Advice problem={problem} onApply={apply} />}
          onSubmit={() => void test.run({ kind: kind.kind, settings: entered(values) })}
          fields={
            <>
              <SettingFields kind={kind} values={values} problem={problem} onChange={change} />
              <NameField value={name} placeholder={defaultName(kind, values)} onValue={setName} />
            </>
          }
        >
          <div class="buttons">
            <TestButton test={test} kind={isTested ? undefined : "primary"} />
            <Button
              scope="write"
              isWorking={save.isWorking}
              onClick={() => void save.run()}
              kind={isTested ? "primary" : undefined}
            >
              {text.save}
            </Button>
          </div>
          <p class="small muted">{text.testHint}</p>
        </Form>
      </Section>
      {test.sample && <SampleResult sample={test.sample} onApply={apply} />}
    </>
  );
}

/** Adds the source and starts its first sync, which the page then follows. */
function useSave({
  kind,
  values,
  name,
}: {
  readonly kind: SourceKindInfo;
  readonly values: SourceFormValues;
  readonly name: string;
}): PageAction<void> {
  const catalog = useThisCatalog();
  const location = useLocation();
  return useAction(async () => {
    const { id } = await catalog.fetch<Wire<typeof SourceAnswer>>("/sources", {
      method: "POST",
      body: {
        kind: kind.kind,
        ...(name.trim() !== "" && { name }),
        settings: entered(values),
      },
    });
    // The source is saved in any case: its own page shows it.
    const run = await startSync(catalog, id).catch(() => undefined);
    navigate(run === undefined ? catalog.href(`/sources/${id}`) : withQuery(location, { source: id, run }));
  });
}

function FirstSync({ runId, sourceId }: { readonly runId: string; readonly sourceId: string }): JSX.Element {
  const { href } = useThisCatalog();
  return (
    <>
      <PageHeading title={setupText.result.firstTitle} />
      <SyncResult
        runId={runId}
        repair={() => <Link href={href(`/sources/${sourceId}`)}>{setupText.result.editSource}</Link>}
      />
    </>
  );
}
