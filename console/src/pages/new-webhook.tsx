import type { JSX } from "preact";
import { PageHeading } from "../components/ui.tsx";

export function NewWebhookPage(): JSX.Element {
  return <PageHeading title="New webhook" />;
}
