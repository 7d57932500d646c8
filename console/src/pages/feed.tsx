import type { JSX } from "preact";
import { PageHeading } from "../components/ui.tsx";

export function FeedPage(): JSX.Element {
  return <PageHeading title="Feed" />;
}
