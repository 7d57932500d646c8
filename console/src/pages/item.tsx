import type { JSX } from "preact";
import { PageHeading } from "../components/ui.tsx";

export function ItemPage(): JSX.Element {
  return <PageHeading title="Item" />;
}
