import type { JSX } from "preact";
import { PageHeading } from "../components/ui.tsx";

export function SettingsPage(): JSX.Element {
  return <PageHeading title="Settings" />;
}
