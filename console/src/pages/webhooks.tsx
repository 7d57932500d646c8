import type { JSX } from "preact";
import { PageHeading } from "../components/ui.tsx";

export function WebhooksPage(): JSX.Element {
  return <PageHeading title="Webhooks" />;
}
