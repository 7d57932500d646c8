import type { JSX } from "preact";
import { PageHeading } from "../components/ui.tsx";

export function RunsPage(): JSX.Element {
  return <PageHeading title="Runs" />;
}
