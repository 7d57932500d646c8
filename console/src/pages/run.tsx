import type { JSX } from "preact";
import { PageHeading } from "../components/ui.tsx";

export function RunPage(): JSX.Element {
  return <PageHeading title="Run" />;
}
