/** Creating a catalog: the name, and what feeds need to know about every price and every item. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { CreatedCatalogAnswer } from "../../../src/contract/catalogs.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import { fetchData } from "../api.ts";
import type { Problem } from "../api.ts";
import { countries, currencies } from "../codes.ts";
import type { Code } from "../codes.ts";
import { Button, Field, fieldError } from "../components/form.tsx";
import { CopyButton, Loading, Notice, PageHeading, ProblemMessage } from "../components/ui.tsx";
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
      {!isOperator ? <NotAllowed /> : slug === undefined ? <Form onCreated={onCreated} /> : <Loading />}
    </>
  );
}

function NotAllowed(): JSX.Element {
  return (
    <Notice tone="neutral">
      <p>{text.notAllowed}</p>
      <p>{text.howToOperate}</p>
      <p class="with-copy">
        <code>{text.command}</code>
        <CopyButton text={text.command} label={setupText.copy} />
      </p>
      <Link href="/">{text.back}</Link>
    </Notice>
  );
}

function Form({ onCreated }: { readonly onCreated: (slug: string) => void }): JSX.Element {
  const create = useAction(async (form: HTMLFormElement) => {
    const entered = new FormData(form);
    const [name, currency, country, slug] = ["name", "currency", "country", "slug"].map((field) => {
      const value = entered.get(field);
      return typeof value === "string" ? value.trim() : "";
    });
    const { slug: created } = await fetchData<Wire<typeof CreatedCatalogAnswer>>("/catalogs", {
      method: "POST",
      body: { name, ...(slug !== "" && { slug }), settings: { currency, country } },
    });
    onCreated(created);
  });
  const { problem } = create;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void create.run(event.currentTarget);
      }}
    >
      <Field label={text.name} help={text.nameHelp} error={fieldError(problem, "/name")}>
        {(attributes) => <input {...attributes} name="name" required maxLength={200} autocomplete="off" />}
      </Field>
      {CODES.map((field) => (
        <CodeField key={field.name} {...field} problem={problem} />
      ))}
      <Field label={text.slug} help={text.slugHelp} error={fieldError(problem, "/slug")} isOptional>
        {(attributes) => (
          <input {...attributes} name="slug" maxLength={63} autocomplete="off" spellcheck={false} />
        )}
      </Field>
      {problem && <ProblemMessage problem={problem} />}
      <Button type="submit" kind="primary" isWorking={create.isWorking}>
        {text.submit}
      </Button>
    </form>
  );
}

const CODES = [
  { name: "currency", label: text.currency, help: text.currencyHelp, codes: currencies },
  { name: "country", label: text.country, help: text.countryHelp, codes: countries },
] as const;

function CodeField({
  name,
  label,
  help,
  codes,
  problem,
}: {
  readonly name: string;
  readonly label: string;
  readonly help: string;
  readonly codes: () => readonly Code[];
  readonly problem: Problem | undefined;
}): JSX.Element {
  return (
    <Field label={label} help={help} error={fieldError(problem, `/settings/${name}`)}>
      {(attributes) => (
        <select {...attributes} name={name} required>
          <option value="">{text.choose}</option>
          {codes().map(({ code, text: shown }) => (
            <option key={code} value={code}>
              {shown}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
