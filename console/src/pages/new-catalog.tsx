import type { JSX } from "preact";
import { PageHeading } from "../components/ui.tsx";

export function NewCatalogPage(): JSX.Element {
  return <PageHeading title="New catalog" />;
}
