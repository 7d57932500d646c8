import type { JSX } from "preact";
import { PageHeading } from "../components/ui.tsx";

export function UploadPage(): JSX.Element {
  return <PageHeading title="Upload" />;
}
