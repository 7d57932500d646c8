import type { JSX } from "preact";
import { PageHeading } from "../components/ui.tsx";

export function AuditPage(): JSX.Element {
  return <PageHeading title="Audit" />;
}
