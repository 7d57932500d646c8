/** The name and the settings of a catalog, and its removal. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { CatalogSettingsAnswer } from "../../../src/contract/catalog-settings.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import type { Problem } from "../api.ts";
import { useThisCatalog } from "../catalog.ts";
import { Button, ConfirmButton, enteredText, Field, fieldError } from "../components/form.tsx";
import { useFocusInvalid } from "../components/focus-invalid.ts";
import { changedSettings, SETTING_GROUPS, SettingField } from "../components/setting-field.tsx";
import { Await, Facts, Notice, PageHeading, ProblemMessage, Section, Time } from "../components/ui.tsx";
import { useEvents } from "../events.tsx";
import { formatNumber } from "../format.ts";
import { settingTexts as t } from "../messages/settings.ts";
import { Link, navigate } from "../router.tsx";
import { useSession } from "../session.tsx";
import { useAction, useData } from "../use-data.ts";

type CatalogSettings = Wire<typeof CatalogSettingsAnswer>["data"];

export function SettingsPage(): JSX.Element {
  const loaded = useData<{ data: CatalogSettings }>("/catalog/settings");
  return (
    <>
      <PageHeading title={t.title} />
      <Await loaded={loaded}>
        {(catalog) => (
          <>
            <SettingsForm loaded={catalog} />
            <Removal catalog={catalog} />
          </>
        )}
      </Await>
    </>
  );
}

function SettingsForm({ loaded }: { readonly loaded: CatalogSettings }): JSX.Element {
  const catalog = useThisCatalog();
  const session = useSession();
  const [current, setCurrent] = useState(loaded);
  const [saved, setSaved] = useState<string>();
  const { run, isWorking, problem } = useAction(async (form: FormData) => {
    setSaved(undefined);
    const name = enteredText(form, "name");
    const settings = changedSettings(form, current.settings);
    const body = {
      ...(name !== current.name && { name }),
      ...(Object.keys(settings).length > 0 && { settings }),
    };
    if (Object.keys(body).length === 0) return setSaved(t.unchanged);
    const answer = { method: "PATCH", body } as const;
    setCurrent(await catalog.fetch<{ data: CatalogSettings }>("/catalog/settings", answer));
    setSaved("settings" in body ? t.saved : t.savedName);
    // The name is also in the navigation and in the list of catalogs.
    if ("name" in body) session.reload();
  });
  const formRef = useFocusInvalid(problem);
  useEvents({
    onRun: ({ kind, status }) => {
      if (kind === "render" && status === "succeeded")
        setSaved((before) => (before === t.saved ? t.rendered : before));
    },
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (catalog.may("admin")) void run(new FormData(event.currentTarget as HTMLFormElement));
  };
  return (
    <form ref={formRef} onSubmit={submit} noValidate class="settings">
      <Fields catalog={current} problem={problem} />
      {problem && <ProblemMessage problem={problem} hasFieldErrors />}
      <p class="muted small">{t.effect}</p>
      <div class="buttons">
        <Button scope="admin" kind="primary" type="submit" isWorking={isWorking}>
          {t.save}
        </Button>
        <Saved text={saved} />
      </div>
    </form>
  );
}

function Saved({ text }: { readonly text: string | undefined }): JSX.Element {
  const catalog = useThisCatalog();
  const isRendered = text === t.saved || text === t.rendered;
  return (
    <p role="status">
      {text} {isRendered && <Link href={catalog.href("/feeds")}>{t.seeFeeds}</Link>}
    </p>
  );
}

function Fields({
  catalog,
  problem,
}: {
  readonly catalog: CatalogSettings;
  readonly problem: Problem | undefined;
}): JSX.Element {
  return (
    <>
      <Field label={t.name} help={t.nameHelp} error={fieldError(problem, "/name")}>
        {(attributes) => <input {...attributes} name="name" defaultValue={catalog.name} maxLength={200} />}
      </Field>
      <Facts
        entries={[
          [t.slug, <code>{catalog.slug}</code>],
          [t.created, <Time at={catalog.created_at} />],
        ]}
      />
      {SETTING_GROUPS.map(({ title, names }) => (
        <Section key={title} title={title}>
          {names.map((name) => (
            <SettingField
              key={name}
              name={name}
              value={catalog.settings[name]}
              error={fieldError(problem, `/settings/${name}`)}
            />
          ))}
        </Section>
      ))}
    </>
  );
}

function Removal({
  catalog: { slug, name, item_count: items },
}: {
  readonly catalog: CatalogSettings;
}): JSX.Element {
  const catalog = useThisCatalog();
  const session = useSession();
  const [typed, setTyped] = useState("");
  const remove = async () => {
    await catalog.call("/catalog", { method: "DELETE", body: { slug: typed.trim() } });
    navigate("/");
    session.reload();
  };
  return (
    <Section title={t.remove.title}>
      <Notice tone="neutral">
        <p>{t.remove.note}</p>
        <ConfirmButton
          label={t.remove.label}
          title={t.remove.dialogTitle(name)}
          confirm={t.remove.confirm}
          scope="admin"
          act={remove}
        >
          <p>{t.remove.text(formatNumber(items))}</p>
          <Field label={t.remove.type(slug)}>
            {(attributes) => (
              <input
                {...attributes}
                value={typed}
                autocomplete="off"
                spellcheck={false}
                onInput={(event) => setTyped(event.currentTarget.value)}
              />
            )}
          </Field>
        </ConfirmButton>
      </Notice>
    </Section>
  );
}
