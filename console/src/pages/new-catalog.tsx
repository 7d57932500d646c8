/** Creating a catalog: the name, and what feeds need to know about every price and every item. */
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { CreatedCatalogAnswer } from "../../../src/contract/catalogs.ts";
import { currencyOfCountry } from "../../../src/contract/codes.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import { fetchData } from "../api.ts";
import { countries, currencies } from "../codes.ts";
import { Button } from "../components/buttons.tsx";
import { SelectField, TextField } from "../components/fields.tsx";
import { enteredText, Form } from "../components/form.tsx";
import type { SelectOption } from "../components/fields.tsx";
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
      body: {
        name,
        ...(slug !== "" && { slug }),
        settings: { country, ...(currency !== "" && { currency }) },
      },
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
  const [country, setCountry] = useState("");
  return (
    <>
      <TextField label={text.name} help={text.nameHelp} name="name" required maxLength={200} />
      <CodeField
        name="country"
        codes={countries}
        label={text.country}
        help={text.countryHelp}
        none={text.choose}
        onValue={setCountry}
        required
      />
      <CurrencyField country={country} />
      <TextField label={text.slug} help={text.slugHelp} isOptional name="slug" maxLength={63} />
    </>
  );
}

/** Has to be chosen only if the country does not say which currency its shops use. */
function CurrencyField({ country }: { readonly country: string }): JSX.Element {
  const own = currencyOfCountry(country);
  return (
    <CodeField
      name="currency"
      codes={currencies}
      label={text.currency}
      help={text.currencyHelp}
      none={own === undefined ? text.choose : text.currencyOfCountry(own)}
      required={own === undefined}
    />
  );
}

function CodeField({
  codes,
  none,
  ...field
}: {
  readonly name: string;
  readonly codes: () => readonly SelectOption[];
  readonly label: string;
  readonly help: string;
  /** The first choice, which is no code. */
  readonly none: string;
  readonly required: boolean;
  readonly onValue?: (value: string) => void;
}): JSX.Element {
  const options = useMemo((): readonly SelectOption[] => [["", none], ...codes()], [codes, none]);
  return <SelectField {...field} options={options} pointer={`/settings/${field.name}`} />;
}
