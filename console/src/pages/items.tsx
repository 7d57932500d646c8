import type { JSX } from "preact";
import { PageHeading } from "../components/ui.tsx";

export function ItemsPage(): JSX.Element {
  return <PageHeading title="Items" />;
}
