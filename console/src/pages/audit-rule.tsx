import type { JSX } from "preact";
import { PageHeading } from "../components/ui.tsx";

export function AuditRulePage(): JSX.Element {
  return <PageHeading title="Audit rule" />;
}
