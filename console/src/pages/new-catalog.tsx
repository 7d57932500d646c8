/** Creating a catalog: the name, and what feeds need to know about every price and every item. */
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { CreatedCatalogAnswer } from "../../../src/contract/catalogs.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import { fetchData } from "../api.ts";
import { countries, currencies } from "../codes.ts";
import { Button } from "../components/buttons.tsx";
import { SelectField, TextField } from "../components/fields.tsx";
import { enteredText, Form } from "../components/form.tsx";
import type { Option } from "../components/fields.tsx";
import { CopyLine } from "../components/copy-button.tsx";
import { Loading, Notice, PageHeading } from "../components/ui.tsx";
import { setupText } from "../messages/setup.ts";
import { Link, navigate } from "../router.tsx";
import { useSession } from "../session.tsx";
import { useAction } from "../use-data.ts";

const text = setupText.newCatalog;

export function NewCatalogPage(): JSX.Element {
  const { is_operator: isOperator, catalogs, reload } = useSession();
  const [slug, setSlug] = useState<string>();
  // The page of the catalog exists when the session knows the catalog.
  const isKnown = catalogs.some((one) => one.slug === slug);
  useEffect(() => {
    if (isKnown) navigate(`/c/${slug}/sources/new`);
  }, [isKnown]);
  const onCreated = (created: string) => {
    setSlug(created);
    reload();
  };
  return (
    <>
      <PageHeading title={text.title} />
      <p class="muted">{text.intro}</p>
      {!isOperator ? (
        <NotAllowed />
      ) : slug === undefined ? (
        <CatalogForm onCreated={onCreated} />
      ) : (
        <Loading />
      )}
    </>
  );
}

function NotAllowed(): JSX.Element {
  return (
    <Notice tone="neutral">
      <p>{text.notAllowed}</p>
      <p>{text.howToOperate}</p>
      <CopyLine text={text.command} label={setupText.copy} />
      <Link href="/">{text.back}</Link>
    </Notice>
  );
}

function CatalogForm({ onCreated }: { readonly onCreated: (slug: string) => void }): JSX.Element {
  const { run, isWorking, problem } = useAction(async (entered: FormData) => {
    const [name, currency, country, slug] = ["name", "currency", "country", "slug"].map((field) =>
      enteredText(entered, field),
    );
    const { slug: created } = await fetchData<Wire<typeof CreatedCatalogAnswer>>("/catalogs", {
      method: "POST",
      body: { name, ...(slug !== "" && { slug }), settings: { currency, country } },
    });
    onCreated(created);
  });
  return (
    <Form hasNativeChecks fields={<Fields />} problem={problem} onSubmit={(entered) => void run(entered)}>
      <Button type="submit" kind="primary" isWorking={isWorking}>
        {text.submit}
      </Button>
    </Form>
  );
}

function Fields(): JSX.Element {
  return (
    <>
      <TextField label={text.name} help={text.nameHelp} name="name" required maxLength={200} />
      <CodeField name="currency" codes={currencies} label={text.currency} help={text.currencyHelp} />
      <CodeField name="country" codes={countries} label={text.country} help={text.countryHelp} />
      <TextField label={text.slug} help={text.slugHelp} isOptional name="slug" maxLength={63} />
    </>
  );
}

function CodeField({
  name,
  codes,
  label,
  help,
}: {
  readonly name: string;
  readonly codes: () => readonly Option[];
  readonly label: string;
  readonly help: string;
}): JSX.Element {
  const options = useMemo((): readonly Option[] => [["", text.choose], ...codes()], [codes]);
  return <SelectField {...{ name, label, help, options }} pointer={`/settings/${name}`} required />;
}
