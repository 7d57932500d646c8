import type { JSX } from "preact";
import { PageHeading } from "../components/ui.tsx";

export function WebhookPage(): JSX.Element {
  return <PageHeading title="Webhook" />;
}
