import type { JSX } from "preact";
import { PageHeading } from "../components/ui.tsx";

export function AboutPage(): JSX.Element {
  return <PageHeading title="About" />;
}
