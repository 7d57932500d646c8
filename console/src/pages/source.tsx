import type { JSX } from "preact";
import { PageHeading } from "../components/ui.tsx";

export function SourcePage(): JSX.Element {
  return <PageHeading title="Source" />;
}
