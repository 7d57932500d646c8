/** The name and the settings of a catalog, and its removal. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { CatalogSettingsAnswer } from "../../../src/contract/catalog-settings.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import { useThisCatalog } from "../catalog.ts";
import { Button, DialogButton } from "../components/buttons.tsx";
import { TextField } from "../components/fields.tsx";
import { enteredText, Form } from "../components/form.tsx";
import { PublishGuard } from "../components/publish-guard-form.tsx";
import { changedSettings, SETTING_GROUPS, SettingField } from "../components/setting-field.tsx";
import { Await, Facts, Notice, PageHeading, Section, Time } from "../components/ui.tsx";
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
            <PublishGuard />
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
  useEvents({
    onRun: ({ kind, status }) => {
      if (kind === "render" && status === "succeeded")
        setSaved((before) => (before === t.saved ? t.rendered : before));
    },
  });
  return (
    <Form
      class="settings"
      scope="admin"
      fields={<Fields catalog={current} />}
      problem={problem}
      onSubmit={(entered) => void run(entered)}
    >
      <p class="muted small">{t.effect}</p>
      <div class="buttons">
        <Button scope="admin" kind="primary" type="submit" isWorking={isWorking}>
          {t.save}
        </Button>
        <Saved text={saved} />
      </div>
    </Form>
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

function Fields({ catalog }: { readonly catalog: CatalogSettings }): JSX.Element {
  return (
    <>
      <TextField label={t.name} help={t.nameHelp} name="name" defaultValue={catalog.name} maxLength={200} />
      <Facts
        entries={[
          [t.slug, <code>{catalog.slug}</code>],
          [t.created, <Time at={catalog.created_at} />],
        ]}
      />
      {SETTING_GROUPS.map(({ title, names }) => (
        <Section key={title} title={title}>
          {names.map((name) => (
            <SettingField key={name} name={name} value={catalog.settings[name]} />
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
  const remove = async (entered: FormData) => {
    await catalog.call("/catalog", { method: "DELETE", body: { slug: enteredText(entered, "slug") } });
    navigate("/");
    session.reload();
  };
  return (
    <Section title={t.remove.title}>
      <Notice tone="neutral">
        <p>{t.remove.note}</p>
        <DialogButton
          label={t.remove.label}
          title={t.remove.dialogTitle(name)}
          confirm={t.remove.confirm}
          scope="admin"
          act={remove}
        >
          <p>{t.remove.text(formatNumber(items))}</p>
          <TextField label={t.remove.type(slug)} name="slug" />
        </DialogButton>
      </Notice>
    </Section>
  );
}
