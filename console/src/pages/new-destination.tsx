/** Adding a destination: the kind, its settings with a test, and the first delivery. */
import type { JSX } from "preact";
import type { DestinationKindsAnswer } from "../../../src/contract/destinations.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import { useThisCatalog } from "../catalog.ts";
import { NewDestinationForm } from "../components/destination-form.tsx";
import type { DestinationType } from "../components/destination-state.tsx";
import { Await, Notice, PageHeading } from "../components/ui.tsx";
import { destinationTexts } from "../messages/destinations.ts";
import { Link, navigate, useLocation, withQuery } from "../router.tsx";
import { useData } from "../use-data.ts";

const t = destinationTexts.choose;

type Choice = keyof typeof t.types;
const TYPES: Readonly<Record<Choice, DestinationType>> = {
  openai: "sftp",
  sftp: "sftp",
  https: "https",
  acp: "acp",
};
const isChoice = (name: string | null): name is Choice => name !== null && Object.hasOwn(TYPES, name);

export function NewDestinationPage(): JSX.Element {
  const catalog = useThisCatalog();
  const { query } = useLocation();
  const kinds = useData<Wire<typeof DestinationKindsAnswer>>("/destinations/kinds");
  const named = query.get("to");
  const chosen = isChoice(named) ? named : null;
  const type = chosen && TYPES[chosen];
  return (
    <>
      <PageHeading title={t.title} />
      <ChoiceCards chosen={chosen} />
      {type !== null && (
        <Await loaded={kinds}>
          {({ kinds: all }) => {
            const kind = all.find((one) => one.kind === (type === "sftp" ? "sftp" : "https"));
            return (
              <>
                {chosen === "openai" && <OpenAiNotice />}
                {kind && (
                  <NewDestinationForm
                    key={chosen}
                    type={type}
                    kind={kind}
                    name={chosen === "openai" ? destinationTexts.openai.name : undefined}
                    onSaved={({ id }) => navigate(catalog.href(`/destinations/${id}`))}
                  />
                )}
              </>
            );
          }}
        </Await>
      )}
    </>
  );
}

function ChoiceCards({ chosen }: { readonly chosen: Choice | null }): JSX.Element {
  const location = useLocation();
  return (
    <nav aria-label={t.label}>
      <p>{t.intro}</p>
      <ul class="choices">
        {(Object.keys(TYPES) as readonly Choice[]).map((name) => (
          <li key={name}>
            <Link
              class="card choice"
              href={withQuery(location, { to: name })}
              {...(name === chosen && { "aria-current": "true" as const })}
            >
              <span class="choice-name">{t.types[name].label}</span>
              <span class="small muted">{t.types[name].sentence}</span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

const OpenAiNotice = (): JSX.Element => (
  <Notice tone="neutral">
    <p>
      <strong>{destinationTexts.openai.title}</strong>
    </p>
    <p>{destinationTexts.openai.text}</p>
  </Notice>
);
