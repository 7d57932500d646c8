import type { JSX } from "preact";
import { PageHeading } from "../components/ui.tsx";

export function KeysPage(): JSX.Element {
  return <PageHeading title="Keys" />;
}
