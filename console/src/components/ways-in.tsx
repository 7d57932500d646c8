/** How products come into a catalog. */
import type { ComponentChildren, JSX } from "preact";
import { useThisCatalog } from "../catalog.ts";
import { overviewTexts } from "../messages/overview.ts";
import { Link } from "../router.tsx";
import { Empty, Section } from "./ui.tsx";

const { empty } = overviewTexts;
const WAYS = [
  { page: "/sources/new", name: empty.connect, text: empty.connectText, kind: "button primary" },
  { page: "/upload", name: empty.upload, text: empty.uploadText, kind: "button" },
] as const;

/** For the overview of a catalog without items and sources. */
export function WaysIn(): JSX.Element {
  const { href } = useThisCatalog();
  return (
    <Section title={empty.title}>
      <p>{empty.text}</p>
      <div class="ways-in">
        {WAYS.map(({ page, name, text, kind }) => (
          <div key={page} class="card">
            <Link href={href(page)} class={kind}>
              {name}
            </Link>
            <p class="muted">{text}</p>
          </div>
        ))}
      </div>
      <p class="muted">{empty.next}</p>
    </Section>
  );
}

/** For a page that has nothing to show until a shop is connected or a file is uploaded. */
export function NothingYet({
  title,
  children,
}: {
  readonly title?: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { href } = useThisCatalog();
  return (
    <Empty>
      {title !== undefined && <h2>{title}</h2>}
      <p>{children}</p>
      <p class="buttons">
        {WAYS.map(({ page, name }) => (
          <Link key={page} href={href(page)}>
            {name}
          </Link>
        ))}
      </p>
    </Empty>
  );
}
