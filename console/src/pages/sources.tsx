import type { JSX } from "preact";
import { PageHeading } from "../components/ui.tsx";

export function SourcesPage(): JSX.Element {
  return <PageHeading title="Sources" />;
}
