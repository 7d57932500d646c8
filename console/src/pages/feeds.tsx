import type { JSX } from "preact";
import { PageHeading } from "../components/ui.tsx";

export function FeedsPage(): JSX.Element {
  return <PageHeading title="Feeds" />;
}
