/** How products come into a catalog: for one without items and sources. */
import type { JSX } from "preact";
import { useThisCatalog } from "../catalog.ts";
import { overviewTexts } from "../messages/overview.ts";
import { Link } from "../router.tsx";
import { Section } from "./ui.tsx";

const { empty } = overviewTexts;

export function WaysIn(): JSX.Element {
  const { href } = useThisCatalog();
  return (
    <Section title={empty.title}>
      <p>{empty.text}</p>
      <div class="ways-in">
        <div class="card">
          <Link href={href("/sources/new")} class="button primary">
            {empty.connect}
          </Link>
          <p class="muted">{empty.connectText}</p>
        </div>
        <div class="card">
          <Link href={href("/upload")} class="button">
            {empty.upload}
          </Link>
          <p class="muted">{empty.uploadText}</p>
        </div>
      </div>
      <p class="muted">{empty.next}</p>
    </Section>
  );
}
