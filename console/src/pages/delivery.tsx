import type { JSX } from "preact";
import { PageHeading } from "../components/ui.tsx";

export function DeliveryPage(): JSX.Element {
  return <PageHeading title="Delivery" />;
}
