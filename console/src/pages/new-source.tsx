import type { JSX } from "preact";
import { PageHeading } from "../components/ui.tsx";

export function NewSourcePage(): JSX.Element {
  return <PageHeading title="New source" />;
}
