import type { JSX } from "preact";
import { PageHeading } from "../components/ui.tsx";

export function ChangesPage(): JSX.Element {
  return <PageHeading title="Changes" />;
}
